// SPDX-License-Identifier: Apache-2.0
#include "deliver/client.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/frame.hpp"
#include "base/log.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"
#include "mpi/outlive.hpp"

namespace stowage::deliver {
namespace {

constexpr mpi::Seconds kGoodbye{10.0};

// Calls pump() until done() holds; false if the deadline passes first.
template <typename Pump, typename Done>
bool pump_until(Pump&& pump, Done&& done, mpi::Deadline deadline) {
  mpi::Backoff backoff;
  while (true) {
    pump();
    if (done()) return true;
    if (deadline.passed()) return false;
    backoff.pause();
  }
}

}  // namespace

Client::Client(MPI_Comm world, std::int32_t replica, double startup_seconds, const Coordinates& coordinates,
               std::int64_t resume_step)
    : job_(mpi::split_job(world, mpi::Role::trainer, mpi::Seconds(startup_seconds))),
      saves_(job_.world.get(), job_.loader_ranks),
      steps_(part_of(coordinates)) {
  const mpi::Deadline deadline = mpi::Deadline::after(mpi::Seconds(startup_seconds));
  hear();
  mpi::Lent<Register> hello({replica, coordinates, resume_step});
  mpi::Request sending =
      mpi::Request::send(job_.world.get(), bytes_of(*hello), job_.loader_ranks.front(), kTagRegister);
  sending.wait({}, deadline, "the first loader rank to take a trainer's registration");
  hello.give_back();

  const bool came = pump_until([&] { pump(); }, [&] { return !servers_.empty() || failure_; }, deadline);
  if (failure_) throw Error(failure_->first, failure_->second);
  if (!came) {
    fail(STOWAGE_TIMEOUT,
         "no loader rank welcomed this trainer within {:.0f} s; look at the messages of the loader ranks, or raise "
         "startup_seconds if opening the sources takes longer",
         startup_seconds);
  }
}

// What was given up goes on until MPI is finalised, and may not find its buffers gone.
Client::~Client() {
  if (!sent_.empty()) static_cast<void>(new std::list<Sent>(std::move(sent_)));
  if (!arriving_.empty()) static_cast<void>(new std::list<Incoming>(std::move(arriving_)));
}

// From any loader rank: if the one that serves this trainer is lost, another tells of it or takes over.
void Client::hear() {
  hearing_ = mpi::Request::receive(job_.world.get(), std::as_writable_bytes(std::span(&heard_, 1)), MPI_ANY_SOURCE,
                                   kTagNotice);
}

void Client::pump() {
  if (preempted_) saves_.request_preemption();
  saves_.progress();
  std::erase_if(sent_, [](Sent& sent) { return sent.request.test(); });
  while (hearing_.active() && hearing_.test()) {
    arriving_.emplace_back(job_.world.get(), hearing_.source(), heard_);
    if (heard_.kind != NoticeKind::closed) hear();
  }
  // In order from each rank; nothing waits for what a lost rank has left unfinished, and an error for nothing at all.
  std::vector<int> unfinished;
  for (auto incoming = arriving_.begin(); incoming != arriving_.end();) {
    const bool waits = std::ranges::count(unfinished, incoming->source()) > 0;
    if (!incoming->done() || (waits && incoming->notice().kind != NoticeKind::error)) {
      unfinished.push_back(incoming->source());
      ++incoming;
    } else {
      accept(std::move(*incoming));
      incoming = arriving_.erase(incoming);
    }
  }
}

void Client::accept(Incoming incoming) {
  const Notice notice = incoming.notice();
  AlignedBuffer payload = std::move(incoming).take();
  switch (notice.kind) {
    case NoticeKind::welcome:
      welcome(incoming.source(), notice.generation, payload.bytes());
      break;
    case NoticeKind::step:
      if (notice.step >= steps_.arrived()) arrived_.try_emplace(notice.step, std::move(payload));
      break;
    case NoticeKind::end:
      end_ = notice.step;
      break;
    case NoticeKind::error:
      failure_ = {notice.status, fmt::format("{}{}", kReported, text_of(payload.bytes()))};
      // The one that serves this trainer may not be there to answer.
      if (servers_.empty() || incoming.source() != server().rank) closed_ = true;
      break;
    case NoticeKind::closed:
      closed_ = true;
      break;
  }
}

void Client::welcome(int rank, std::uint32_t generation, ByteView payload) {
  if (!servers_.empty() && generation <= server().generation) return;  // it was stopped while another took over
  const auto job = frame::decode<JobInfo>(payload, JobInfo::kVersion, "the loaders' welcome");
  if (servers_.empty()) {
    info_ = job.info();
    acquire_seconds_ = job.acquire_seconds;
    checkpoints_ = job.checkpoints;
    steps_.start_at(job.first_step);
    survives_ = job.survives;
    if (survives_) mpi::ignore_broken_pipes();
  } else {
    log().info("loader rank {} (of the job's ranks) takes over from rank {} at step {}", rank, server().rank,
               steps_.acquired());
    server().needed_until = steps_.arrived();
  }
  Connection& connection = servers_.emplace_back();
  connection.rank = rank;
  connection.generation = generation;
  if (job.ring.memory.bytes > 0) map_ring(connection, job.ring);
  preemptible_ = connection.ring ? &connection.ring->reader() : nullptr;
  if (preempted_) preempt();
  if (closing_) {
    pull(PullKind::close);
  } else {
    pull(connection.ring ? PullKind::ring : PullKind::pull);
  }
}

void Client::map_ring(Connection& connection, const RingPlace& place) {
  try {
    connection.ring.emplace(place);
    connection.ring->reader().release(std::max(place.shape.first, steps_.released()));
  } catch (const Error& error) {
    log().warn("this trainer gets its steps by message: {}", error.what());
  }
}

void Client::pull(PullKind kind) {
  send(kind, server().rank);
}

void Client::send(PullKind kind, int rank) {
  Sent& sent = sent_.emplace_back();
  sent.rank = rank;
  sent.pull = {.kind = kind,
               .wanted = steps_.released() + info_.steps_held,
               .released = steps_.released(),
               .next = steps_.arrived()};
  sent.request = mpi::Request::send(job_.world.get(), bytes_of(sent.pull), rank, kTagPull);
}

bool Client::at_end() const noexcept {
  const std::uint64_t next = steps_.acquired();
  return (end_ && next == *end_) || (server().ring && next == server().ring->reader().end());
}

// The loader rank has failed, and its message is on its way.
bool Client::failed() const noexcept {
  return server().ring && server().ring->reader().failed();
}

std::optional<ByteView> Client::in_ring(const Connection& connection, std::uint64_t step) {
  if (!connection.ring || !connection.ring->reader().has(step)) return std::nullopt;
  return connection.ring->reader().block(step);
}

// Whether the next step can be had without waiting. Once the loader has failed its message comes before all steps.
bool Client::ready() const noexcept {
  if (failure_ || failed()) return false;
  if (steps_.ready()) return true;
  const std::uint64_t next = steps_.acquired();
  if (!arrived_.empty() && arrived_.contains(next)) return true;
  return std::ranges::any_of(servers_, [&](const Connection& one) { return in_ring(one, next).has_value(); });
}

// Makes the view of the next step, which is ready.
void Client::fetch() {
  if (steps_.ready()) return;
  const std::uint64_t next = steps_.acquired();
  if (auto arrived = arrived_.extract(next)) {
    steps_.arrive(std::move(arrived.mapped()));
    return;
  }
  for (Connection& one : servers_) {
    const auto block = in_ring(one, next);
    if (!block) continue;
    one.needed_until = next + 1;
    steps_.arrive(*block);
    return;
  }
}

void Client::save(std::uint64_t step) {
  if (!checkpoints_)
    fail(STOWAGE_UNSUPPORTED, "the configuration has no checkpoint.directory, so nothing can be saved");
  saves_.request(step);
  pump();
}

std::optional<Status> Client::saved(std::uint64_t step) {
  pump();
  if (failure_) throw Error(failure_->first, failure_->second);
  return saves_.answer(step);
}

// The loader sees the ring's cell whatever this process does; the message goes out with the next call.
void Client::preempt() noexcept {
  preempted_ = true;
  if (RingReader* ring = preemptible_) ring->preempt();
}

const StepView* Client::acquire(double seconds) {
  if (preempted_) pump();
  if (!at_end()) steps_.require_room(info_.steps_held);
  if (!ready()) {
    const bool came = pump_until([&] { pump(); }, [&] { return failure_ || ready() || (at_end() && !failed()); },
                                 mpi::Deadline::after(mpi::Seconds(seconds)));
    if (failure_) throw Error(failure_->first, failure_->second);
    if (!came) {
      fail(STOWAGE_TIMEOUT, "step {} did not come from loader rank {} (of the job's ranks) within {:.1f} s",
           steps_.acquired(), server().rank, seconds);
    }
  }
  if (!ready()) return nullptr;
  fetch();
  return steps_.acquire();
}

// Whether a published step that is not acquired yet comes by message.
bool Client::message_comes() const {
  const RingReader& reader = server().ring->reader();
  for (std::uint64_t step = steps_.acquired(); reader.has(step); ++step) {
    if (!reader.block(step)) return true;
  }
  return false;
}

void Client::release(const stowage_step& step) {
  steps_.release(step);
  for (Connection& one : servers_) {
    if (one.ring) one.ring->reader().release(steps_.released());
  }
  if (server().ring) {
    if (message_comes()) pump();  // MPI moves it only when called
  } else {
    pull(PullKind::pull);
  }
  let_go();
  if (ready()) fetch();  // here rather than in acquire, which a trainer waits for
}

// Unmaps the rings of lost loader ranks once nothing of them is held or left to take.
void Client::let_go() {
  const std::uint64_t next = steps_.arrived();
  std::erase_if(servers_, [&](const Connection& one) {
    return &one != &server() && steps_.released() >= one.needed_until && !in_ring(one, next);
  });
}

void Client::close() {
  if (!mpi::usable()) fail(STOWAGE_STATE_ERROR, "a trainer must be destroyed before MPI_Finalize");
  closing_ = true;
  pull(PullKind::close);
  if (survives_) {
    for (const int rank : job_.loader_ranks) {
      if (rank != server().rank) send(PullKind::close, rank);
    }
  }
  const auto taken = [&] {  // by the one that serves; a lost rank takes nothing
    return std::ranges::none_of(sent_, [&](const Sent& sent) { return sent.rank == server().rank; });
  };
  if (!pump_until([&] { pump(); }, [&] { return closed_ && taken(); }, mpi::Deadline::after(kGoodbye))) {
    log().warn("loader rank {} (of the job's ranks) did not say good-bye within {:.0f} s", server().rank,
               kGoodbye.count());
  }
}

}  // namespace stowage::deliver
