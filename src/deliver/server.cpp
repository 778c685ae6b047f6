// SPDX-License-Identifier: Apache-2.0
#include "deliver/server.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "base/frame.hpp"
#include "base/log.hpp"
#include "deliver/transfer.hpp"

namespace stowage::deliver {

using Payload = std::shared_ptr<const AlignedBuffer>;

struct Server::Trainer {
  Served served;
  std::uint64_t wanted = 0;    // steps below it may be sent
  std::uint64_t released = 0;  // steps below it were given back
  std::uint64_t sent = 0;      // steps below it were sent
  std::deque<Payload> waiting; // steps sent, sent + 1, ...
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();  // of the stream, once known
  bool told_end = false;
  bool closed = false;
};

struct Server::Sending {
  Outgoing outgoing;
  Sending(MPI_Comm world, int to, const Notice& notice, Payload payload)
      : outgoing(world, to, notice, std::move(payload)) {}
};

Server::Server(MPI_Comm world, std::vector<Served> trainers, std::uint32_t steps_ahead)
    : world_(world), steps_ahead_(steps_ahead) {
  hear();
  for (Served& served : trainers) {
    trainers_.push_back(std::make_unique<Trainer>());
    Trainer& trainer = *trainers_.back();
    trainer.served = std::move(served);
    send(trainer, {.kind = NoticeKind::welcome}, payload_of(frame::encode(trainer.served.job, JobInfo::kVersion)));
  }
}

Server::~Server() = default;

void Server::hear() {
  hearing_ = mpi::Request::receive(world_, std::as_writable_bytes(std::span(&heard_, 1)), MPI_ANY_SOURCE, kTagPull);
}

void Server::progress() {
  std::erase_if(sending_, [](Sending& sending) { return sending.outgoing.done(); });
  while (hearing_.active() && hearing_.test()) {
    const auto found = std::ranges::find_if(
        trainers_, [&](const auto& trainer) { return trainer->served.rank == hearing_.source(); });
    if (found == trainers_.end()) {
      log().warn("rank {} asked for data of a loader that does not serve it; ignored", hearing_.source());
    } else if (heard_.kind == PullKind::close) {
      Trainer& trainer = **found;
      trainer.closed = true;
      trainer.waiting.clear();
      send(trainer, {.kind = NoticeKind::closed}, nullptr);
    } else {
      Trainer& trainer = **found;
      trainer.wanted = std::max(trainer.wanted, heard_.wanted);
      trainer.released = std::max(trainer.released, heard_.released);
    }
    hear();
  }
  for (const auto& trainer : trainers_) send_ready(*trainer);
}

void Server::send_ready(Trainer& trainer) {
  if (trainer.closed) return;
  while (!trainer.waiting.empty() && trainer.sent < trainer.wanted) {
    Payload block = std::move(trainer.waiting.front());
    trainer.waiting.pop_front();
    bytes_sent_ += block->size();
    send(trainer, {.kind = NoticeKind::step, .step = trainer.sent++}, std::move(block));
  }
  if (trainer.sent == trainer.steps && !trainer.told_end) {
    trainer.told_end = true;
    send(trainer, {.kind = NoticeKind::end, .step = trainer.steps}, nullptr);
  }
}

void Server::send(Trainer& trainer, Notice notice, Payload payload) {
  sending_.emplace_back(world_, trainer.served.rank, notice, std::move(payload));
}

bool Server::has_room() const noexcept {
  return std::ranges::all_of(trainers_, [&](const auto& trainer) { return trainer->waiting.size() < steps_ahead_; });
}

bool Server::all_closed() const noexcept {
  return std::ranges::all_of(trainers_, [](const auto& trainer) { return trainer->closed; });
}

std::uint64_t Server::released() const noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& trainer : trainers_) least = std::min(least, trainer->released);
  return least;
}

void Server::offer(std::uint32_t replica, AlignedBuffer block) {
  const auto shared = std::make_shared<const AlignedBuffer>(std::move(block));
  for (const auto& trainer : trainers_) {
    if (trainer->served.job.replica == replica && !trainer->closed) trainer->waiting.push_back(shared);
  }
}

void Server::end(std::uint64_t steps) {
  for (const auto& trainer : trainers_) trainer->steps = steps;
}

void Server::fail(Status status, const std::string& message) {
  for (const auto& trainer : trainers_) {
    if (trainer->closed) continue;
    trainer->waiting.clear();
    trainer->told_end = true;
    send(*trainer, {.kind = NoticeKind::error, .status = status}, payload_of(bytes_of(message)));
  }
}

bool Server::wait_closed(mpi::Deadline deadline) {
  mpi::Backoff backoff;
  while (!all_closed() || !sending_.empty()) {
    progress();
    if (deadline.passed()) return false;
    backoff.pause();
  }
  return true;
}

void refuse(MPI_Comm world, const std::vector<int>& trainer_ranks, Status status, const std::string& message,
            mpi::Deadline deadline) {
  std::list<Outgoing> sending;
  const Payload payload = payload_of(bytes_of(message));
  for (const int rank : trainer_ranks) {
    sending.emplace_back(world, rank, Notice{.kind = NoticeKind::error, .status = status}, payload);
  }
  mpi::Backoff backoff;
  while (!sending.empty() && !deadline.passed()) {
    std::erase_if(sending, [](Outgoing& outgoing) { return outgoing.done(); });
    backoff.pause();
  }
}

}  // namespace stowage::deliver
