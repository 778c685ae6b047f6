// SPDX-License-Identifier: Apache-2.0
#include "mpi/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "mpi/check.hpp"

namespace stowage::mpi {
namespace {

constexpr std::chrono::microseconds kSpin{10};
constexpr std::chrono::microseconds kYieldFor{1000};
constexpr unsigned kYields = 16;
constexpr std::chrono::microseconds kLongestSleep{200};
constexpr Seconds kCentury{3.2e9};

}  // namespace

Deadline Deadline::after(Seconds allowed) noexcept {
  Deadline deadline;
  if (allowed >= kCentury) return deadline;
  deadline.bounded_ = true;
  deadline.allowed_ = allowed;
  deadline.at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(allowed);
  return deadline;
}

Deadline Deadline::extended(Seconds more) const noexcept {
  Deadline later = *this;
  later.allowed_ += more;
  later.at_ += std::chrono::duration_cast<Clock::duration>(more);
  return later;
}

void Backoff::pause() {
  const auto waited = Clock::now() - begin_;
  if (waited < kSpin) return;
  if (waited < kYieldFor || yields_ < kYields) {
    ++yields_;
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(sleep_);
  sleep_ = std::min(sleep_ * 3 / 2, kLongestSleep);
}

void poll(const std::function<bool()>& done, const Idle& idle, Deadline deadline, std::string_view what) {
  Backoff backoff;
  while (!done()) {
    if (idle) idle();
    if (deadline.passed()) {
      fail(STOWAGE_TIMEOUT, "waited {:.1f} s for {}, which did not come", deadline.allowed().count(), what);
    }
    backoff.pause();
  }
}

void wait(MPI_Request& request, const Idle& idle, Deadline deadline, std::string_view what) {
  const auto complete = [&] {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  };
  poll(complete, idle, deadline, what);
}

}  // namespace stowage::mpi
