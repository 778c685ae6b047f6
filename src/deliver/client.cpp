// SPDX-License-Identifier: Apache-2.0
#include "deliver/client.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/frame.hpp"
#include "base/log.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"

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

Client::Client(MPI_Comm world, std::int32_t replica, double startup_seconds, const Coordinates& coordinates)
    : job_(mpi::split_job(world, mpi::Role::trainer, mpi::Seconds(startup_seconds))), steps_(part_of(coordinates)) {
  const mpi::Deadline deadline = mpi::Deadline::after(mpi::Seconds(startup_seconds));
  hear();
  mpi::Lent<Register> hello({replica, coordinates});
  mpi::Request sending =
      mpi::Request::send(job_.world.get(), bytes_of(*hello), job_.loader_ranks.front(), kTagRegister);
  sending.wait({}, deadline, "the first loader rank to take a trainer's registration");
  hello.give_back();

  const bool came = pump_until([&] { pump(); }, [&] { return welcomed_ || failure_; }, deadline);
  if (failure_) throw Error(failure_->first, failure_->second);
  if (!came) {
    fail(STOWAGE_TIMEOUT,
         "no loader rank welcomed this trainer within {:.0f} s; look at the messages of the loader ranks, or raise "
         "startup_seconds if opening the sources takes longer",
         startup_seconds);
  }
  pull(ring_ ? PullKind::ring : PullKind::pull);
}

// A send that was given up goes on until MPI is finalised, and may not find its buffer gone.
Client::~Client() {
  if (!sent_.empty()) static_cast<void>(new std::list<Sent>(std::move(sent_)));
}

// From any loader rank: if the one that serves this trainer is lost, another tells of it.
void Client::hear() {
  hearing_ = mpi::Request::receive(job_.world.get(), std::as_writable_bytes(std::span(&heard_, 1)), MPI_ANY_SOURCE,
                                   kTagNotice);
}

void Client::pump() {
  std::erase_if(sent_, [](Sent& sent) { return sent.request.test(); });
  while (hearing_.active() && hearing_.test()) {
    if (heard_.kind == NoticeKind::welcome) server_ = hearing_.source();
    arriving_.emplace_back(job_.world.get(), hearing_.source(), heard_);
    if (heard_.kind != NoticeKind::closed) hear();
  }
  // An error does not wait for what a lost loader rank has left unfinished.
  const auto error = std::ranges::find_if(
      arriving_, [](Incoming& incoming) { return incoming.notice().kind == NoticeKind::error && incoming.done(); });
  if (error != arriving_.end()) {
    accept(std::move(*error));
    arriving_.erase(error);
  }
  while (!arriving_.empty() && arriving_.front().done()) {
    accept(std::move(arriving_.front()));
    arriving_.pop_front();
  }
}

void Client::accept(Incoming incoming) {
  const Notice notice = incoming.notice();
  AlignedBuffer payload = std::move(incoming).take();
  switch (notice.kind) {
    case NoticeKind::welcome: {
      const auto job = frame::decode<JobInfo>(payload.bytes(), JobInfo::kVersion, "the loaders' welcome");
      info_ = job.info();
      acquire_seconds_ = job.acquire_seconds;
      if (job.ring.memory.bytes > 0) map_ring(job.ring);
      welcomed_ = true;
      break;
    }
    case NoticeKind::step: arrived_.push_back({notice.step, std::move(payload)}); break;
    case NoticeKind::end: end_ = notice.step; break;
    case NoticeKind::error:
      failure_ = {notice.status, fmt::format("{}{}", kReported, text_of(payload.bytes()))};
      if (incoming.source() != server_) closed_ = true;  // the one that serves this trainer may not be there to answer
      break;
    case NoticeKind::closed: closed_ = true; break;
  }
}

void Client::pull(PullKind kind) {
  Sent& sent = sent_.emplace_back();
  sent.pull = {.kind = kind, .wanted = steps_.released() + info_.steps_held, .released = steps_.released()};
  sent.request = mpi::Request::send(job_.world.get(), bytes_of(sent.pull), server_, kTagPull);
}

void Client::map_ring(const RingPlace& place) {
  try {
    ring_.emplace(place);
  } catch (const Error& error) {
    log().warn("this trainer gets its steps by message: {}", error.what());
  }
}

bool Client::at_end() const noexcept {
  const std::uint64_t next = steps_.acquired();
  return (end_ && next == *end_) || (ring_ && next == ring_->reader().end());
}

// Whether the next step can be had without waiting. Once the loader has failed its message comes before all steps.
bool Client::ready() const noexcept {
  const std::uint64_t next = steps_.acquired();
  if (failure_ || (ring_ && ring_->reader().failed())) return false;
  if (steps_.ready()) return true;
  if (!arrived_.empty() && arrived_.front().step == next) return true;
  return ring_ && ring_->reader().has(next) && ring_->reader().block(next);
}

// Makes the view of the next step, which is ready.
void Client::fetch() {
  if (steps_.ready()) return;
  const std::uint64_t next = steps_.acquired();
  if (!arrived_.empty() && arrived_.front().step == next) {
    steps_.arrive(std::move(arrived_.front().block));
    arrived_.pop_front();
  } else {
    steps_.arrive(*ring_->reader().block(next));
  }
}

const StepView* Client::acquire(double seconds) {
  if (!at_end()) steps_.require_room(info_.steps_held);
  if (!ready()) {
    const auto failed = [&] { return ring_ && ring_->reader().failed(); };  // and the message is not here yet
    const bool came = pump_until([&] { pump(); }, [&] { return failure_ || ready() || (at_end() && !failed()); },
                                 mpi::Deadline::after(mpi::Seconds(seconds)));
    if (failure_) throw Error(failure_->first, failure_->second);
    if (!came) {
      fail(STOWAGE_TIMEOUT, "step {} did not come from loader rank {} (of the job's ranks) within {:.1f} s",
           steps_.acquired(), server_, seconds);
    }
  }
  if (!ready()) return nullptr;
  fetch();
  return steps_.acquire();
}

// Whether a published step that is not acquired yet comes by message.
bool Client::message_comes() const {
  for (std::uint64_t step = steps_.acquired(); ring_->reader().has(step); ++step) {
    if (!ring_->reader().block(step)) return true;
  }
  return false;
}

void Client::release(const stowage_step& step) {
  steps_.release(step);
  if (ring_) {
    ring_->reader().release(steps_.released());
    if (message_comes()) pump();  // MPI moves it only when called
  } else {
    pull(PullKind::pull);
  }
  if (ready()) fetch();  // here rather than in acquire, which a trainer waits for
}

void Client::close() {
  if (!mpi::usable()) fail(STOWAGE_STATE_ERROR, "a trainer must be destroyed before MPI_Finalize");
  pull(PullKind::close);
  if (!pump_until([&] { pump(); }, [&] { return closed_ && sent_.empty(); }, mpi::Deadline::after(kGoodbye))) {
    log().warn("loader rank {} (of the job's ranks) did not say good-bye within {:.0f} s", server_, kGoodbye.count());
  }
}

}  // namespace stowage::deliver
