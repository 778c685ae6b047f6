// SPDX-License-Identifier: Apache-2.0
#include "deliver/server.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "base/assert.hpp"
#include "base/fault_point.hpp"
#include "base/frame.hpp"
#include "base/log.hpp"
#include "deliver/step_parts.hpp"
#include "deliver/transfer.hpp"

namespace stowage::deliver {
namespace {

// A send that was given up goes on until MPI is finalised, and may not find its buffer gone.
template <typename Sends>
void keep_for_good(Sends sends) {
  if (!sends.empty()) static_cast<void>(new Sends(std::move(sends)));
}

}  // namespace

struct Server::Replica {
  std::uint32_t replica = 0;
  RingWriter* ring = nullptr;
  std::uint64_t offered = 0;  // steps below it
  std::deque<Payload> kept;   // of steps kept_from ... offered - 1: what trainers may be reading in the ring
  std::uint64_t kept_from = 0;
  bool warned = false;
};

struct Server::Trainer {
  enum class Way {
    unknown,
    messages,
    ring
  };  // how steps get to it; unknown until it has said whether it maps the ring
  struct Waiting {
    std::uint64_t step = 0;
    bool in_ring = false;
    std::shared_ptr<StepParts> parts;
  };

  Served served;
  Replica* replica = nullptr;
  std::uint32_t reader = 0;  // in the replica's ring
  Way way = Way::messages;
  std::uint64_t wanted = 0;                                         // steps below it may be sent
  std::uint64_t released = 0;                                       // steps below it were given back
  std::deque<Waiting> waiting;                                      // to be sent, in order
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();  // of the stream, once known
  std::uint32_t generation = 0;
  bool told_end = false;
  bool closed = false;
};

struct Server::Sending {
  Outgoing outgoing;
  Sending(MPI_Comm world, int to, const Notice& notice, Payload payload)
      : outgoing(world, to, notice, std::move(payload)) {}
};

Server::Server(MPI_Comm world, std::vector<Served> trainers, std::uint32_t steps_ahead, std::uint64_t shared_bytes)
    : world_(world), steps_ahead_(steps_ahead), shared_bytes_(shared_bytes) {
  hear();
  const std::uint64_t first_step = trainers.empty() ? 0 : trainers.front().job.first_step;
  adopt(std::move(trainers), first_step, 0);
}

void Server::adopt(std::vector<Served> trainers, std::uint64_t first_step, std::uint32_t generation) {
  SharedRings* rings = make_rings(trainers, first_step);
  std::map<std::uint32_t, std::uint32_t> readers;
  for (Served& served : trainers) {
    trainers_.push_back(std::make_unique<Trainer>());
    Trainer& trainer = *trainers_.back();
    trainer.served = std::move(served);
    trainer.generation = generation;
    trainer.released = first_step;
    JobInfo& job = trainer.served.job;
    trainer.replica = &of(job.replica, first_step);
    if (rings != nullptr && trainer.served.same_node) {
      trainer.way = Trainer::Way::unknown;
      trainer.reader = readers[job.replica]++;
      job.ring = rings->place(job.replica, trainer.reader);
    }
    if (const auto left = left_.find(trainer.served.rank); left != left_.end()) {
      close(trainer, left->second);  // it may still wait for the lost rank's good-bye
    } else {
      send(trainer, {.kind = NoticeKind::welcome}, payload_of(frame::encode(job, JobInfo::kVersion)));
    }
  }
}

Server::~Server() {
  keep_for_good(std::move(sending_));
}

SharedRings* Server::make_rings(const std::vector<Served>& trainers, std::uint64_t first_step) {
  std::map<std::uint32_t, std::uint32_t> readers;
  std::uint32_t slots = 0;
  for (const Served& served : trainers) {
    slots = std::max(slots, served.job.steps_held + steps_ahead_);
    if (served.same_node) ++readers[served.job.replica];
  }
  if (readers.empty() || shared_bytes_ == 0) return nullptr;
  try {
    rings_.push_back(std::make_unique<SharedRings>(readers, slots, shared_bytes_, first_step));
  } catch (const Error& error) {
    log().warn("no shared memory for the trainers of this node, who get messages instead: {}", error.what());
    return nullptr;
  }
  for (const auto& [replica, count] : readers) of(replica, first_step).ring = &rings_.back()->of(replica);
  return rings_.back().get();
}

Server::Replica& Server::of(std::uint32_t replica, std::uint64_t first_step) {
  const auto found = std::ranges::find(replicas_, replica, [](const auto& one) { return one->replica; });
  if (found != replicas_.end()) return **found;
  replicas_.push_back(std::make_unique<Replica>());
  replicas_.back()->replica = replica;
  replicas_.back()->offered = replicas_.back()->kept_from = first_step;
  return *replicas_.back();
}

void Server::hear() {
  hearing_ = mpi::Request::receive(world_, std::as_writable_bytes(std::span(&heard_, 1)), MPI_ANY_SOURCE, kTagPull);
}

void Server::progress() {
  std::erase_if(sending_, [](Sending& sending) { return sending.outgoing.done(); });
  while (hearing_.active() && hearing_.test()) {
    const auto found =
        std::ranges::find_if(trainers_, [&](const auto& trainer) { return trainer->served.rank == hearing_.source(); });
    if (found != trainers_.end()) {
      obey(**found, heard_);
    } else if (heard_.kind == PullKind::close) {
      left_.emplace(hearing_.source(), heard_.released);
    } else {
      log().warn("rank {} asked for data of a loader that does not serve it; ignored", hearing_.source());
    }
    hear();
  }
  for (const auto& trainer : trainers_) {
    if (trainer->way == Trainer::Way::ring && !trainer->closed) {
      trainer->released = trainer->replica->ring->released(trainer->reader);
      trainer->wanted = trainer->released + trainer->served.job.steps_held;
    }
    send_ready(*trainer);
  }
  for (const auto& replica : replicas_) let_go(*replica);
}

void Server::obey(Trainer& trainer, const Pull& pull) {
  switch (pull.kind) {
    case PullKind::pull:
      trainer.way = Trainer::Way::messages;
      trainer.wanted = std::max(trainer.wanted, pull.wanted);
      trainer.released = std::max(trainer.released, pull.released);
      std::erase_if(trainer.waiting, [&](const Trainer::Waiting& waiting) { return waiting.step < pull.next; });
      break;
    case PullKind::ring:
      trainer.way = Trainer::Way::ring;
      std::erase_if(trainer.waiting,
                    [&](const Trainer::Waiting& waiting) { return waiting.in_ring || waiting.step < pull.next; });
      break;
    case PullKind::close:
      close(trainer, pull.released);
      break;
  }
}

void Server::close(Trainer& trainer, std::uint64_t released) {
  trainer.closed = true;
  trainer.released = std::max(trainer.released, released);
  trainer.waiting.clear();
  send(trainer, {.kind = NoticeKind::closed}, nullptr);
}

void Server::send_ready(Trainer& trainer) {
  if (trainer.closed) return;
  while (!trainer.waiting.empty() && trainer.waiting.front().step < trainer.wanted) {
    Trainer::Waiting next = std::move(trainer.waiting.front());
    trainer.waiting.pop_front();
    Payload part = next.parts->copy(trainer.served.part);
    bytes_sent_ += part->size();
    send(trainer, {.kind = NoticeKind::step, .step = next.step}, std::move(part));
  }
  if (trainer.waiting.empty() && trainer.replica->offered == trainer.steps && !trainer.told_end) {
    trainer.told_end = true;
    send(trainer, {.kind = NoticeKind::end, .step = trainer.steps}, nullptr);
  }
}

// Gives up the blocks that nobody reads in the ring any more.
void Server::let_go(Replica& replica) {
  std::uint64_t needed_from = replica.offered;
  for (const auto& trainer : trainers_) {
    if (trainer->replica != &replica || trainer->closed || trainer->way == Trainer::Way::messages) continue;
    needed_from = std::min(needed_from, trainer->released);
  }
  for (; replica.kept_from < needed_from; ++replica.kept_from) replica.kept.pop_front();
}

void Server::send(Trainer& trainer, Notice notice, Payload payload) {
  notice.generation = trainer.generation;
  sending_.emplace_back(world_, trainer.served.rank, notice, std::move(payload));
}

bool Server::has_room(std::uint64_t step) const noexcept {
  return std::ranges::all_of(trainers_, [&](const auto& trainer) {
    return trainer->closed || step < trainer->replica->offered ||
           trainer->replica->offered < trainer->released + trainer->served.job.steps_held + steps_ahead_;
  });
}

bool Server::serves(std::uint32_t replica) const noexcept {
  return std::ranges::find(replicas_, replica, [](const auto& one) { return one->replica; }) != replicas_.end();
}

bool Server::needs(std::uint32_t replica, std::uint64_t step) const noexcept {
  const auto found = std::ranges::find(replicas_, replica, [](const auto& one) { return one->replica; });
  return found != replicas_.end() && (*found)->offered <= step;
}

bool Server::all_closed() const noexcept {
  return std::ranges::all_of(trainers_, [](const auto& trainer) { return trainer->closed; });
}

bool Server::preempted() const noexcept {
  return std::ranges::any_of(replicas_, [](const auto& one) { return one->ring != nullptr && one->ring->preempted(); });
}

std::uint64_t Server::released() const noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& trainer : trainers_) least = std::min(least, trainer->released);
  return least;
}

AlignedBuffer Server::allocate(std::uint32_t replica, std::size_t bytes) {
  Replica& to = of(replica, 0);
  return to.ring != nullptr ? to.ring->allocate(bytes) : from_heap(bytes);
}

void Server::offer(std::uint32_t replica, AlignedBuffer block) {
  Replica& to = of(replica, 0);
  const auto shared = std::make_shared<const AlignedBuffer>(std::move(block));
  const auto parts = std::make_shared<StepParts>(shared);
  const bool in_ring = to.ring != nullptr && to.ring->publish(shared->bytes());
  fault_point("delivering");  // some trainers can see the step, others cannot
  bool read_in_ring = false;
  for (const auto& trainer : trainers_) {
    if (trainer->replica != &to || trainer->closed) continue;
    bytes_if_copied_ += shared->size();
    if (in_ring && trainer->way != Trainer::Way::messages) read_in_ring = true;
    if (!in_ring || trainer->way != Trainer::Way::ring) trainer->waiting.push_back({to.offered, in_ring, parts});
  }
  if (read_in_ring) bytes_shared_ += shared->size();
  if (to.ring != nullptr && !in_ring && !to.warned) {
    to.warned = true;
    log().warn(
        "step {} of replica {} ({} bytes) found no place in shared memory and goes by message; more "
        "limits.shared_bytes, or more memory, keeps steps there",
        to.offered, replica, shared->size());
  }
  to.kept.push_back(in_ring ? shared : nullptr);
  ++to.offered;
}

void Server::end(std::uint64_t steps) {
  for (const auto& trainer : trainers_) trainer->steps = steps;
  for (const auto& replica : replicas_) {
    if (replica->ring != nullptr) replica->ring->end(steps);
  }
}

void Server::fail(Status status, const std::string& message) {
  for (const auto& replica : replicas_) {
    if (replica->ring != nullptr) replica->ring->fail();
  }
  for (const auto& trainer : trainers_) {
    if (trainer->closed) continue;
    trainer->waiting.clear();
    trainer->told_end = true;
    send(*trainer, {.kind = NoticeKind::error, .status = status}, payload_of(bytes_of(message)));
  }
}

bool Server::wait_closed(const mpi::Idle& idle, mpi::Deadline deadline) {
  mpi::Backoff backoff;
  while (!all_closed() || !sending_.empty()) {
    if (idle) idle();
    progress();
    if (deadline.passed()) return false;
    backoff.pause();
  }
  return true;
}

void refuse(MPI_Comm world, const std::vector<int>& trainer_ranks, Status status, const std::string& message,
            const mpi::Idle& idle, mpi::Deadline deadline) {
  std::list<Outgoing> sending;
  const auto payload = payload_of(bytes_of(message));
  for (const int rank : trainer_ranks) {
    sending.emplace_back(world, rank, Notice{.kind = NoticeKind::error, .status = status}, payload);
  }
  mpi::Backoff backoff;
  while (!sending.empty() && !deadline.passed()) {
    std::erase_if(sending, [](Outgoing& outgoing) { return outgoing.done(); });
    if (idle) idle();
    backoff.pause();
  }
  keep_for_good(std::move(sending));
}

}  // namespace stowage::deliver
