// SPDX-License-Identifier: Apache-2.0
// Waits that can be abandoned. Nothing in here blocks inside MPI: requests are polled, other work goes on meanwhile,
// and the wait ends when they complete, when a deadline passes or when the other work throws.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <string_view>

namespace stowage::mpi {

using Seconds = std::chrono::duration<double>;

class Deadline {
 public:
  static Deadline never() noexcept { return {}; }
  static Deadline after(Seconds allowed) noexcept;  // from now; anything beyond a century counts as never

  bool passed() const noexcept { return bounded_ && Clock::now() >= at_; }
  Seconds allowed() const noexcept { return allowed_; }  // as given; meaningless for never()
  Deadline extended(Seconds more) const noexcept;        // the same start, `more` later

 private:
  using Clock = std::chrono::steady_clock;
  bool bounded_ = false;
  Seconds allowed_{0};
  Clock::time_point at_{};
};

// Called once a poll; may be empty. What it throws ends the wait.
using Idle = std::function<void()>;

// What a waiting loop does between two looks: nothing for some microseconds after the loop began, then yields the core,
// then, after a millisecond and some yields, sleeps for 20 to 200 microseconds. Few yields, because on a core that
// others keep busy each may last for milliseconds, while a sleeper is woken at once.
class Backoff {
 public:
  void pause();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  unsigned yields_ = 0;
  std::chrono::microseconds sleep_{20};
};

// Calls `done` until it says true, and `idle` in between. Throws STOWAGE_TIMEOUT that names `what` when the deadline
// passes, and whatever the two throw.
void poll(const std::function<bool()>& done, const Idle& idle, Deadline deadline, std::string_view what);

// Returns when the request is complete (it is MPI_REQUEST_NULL then). Throws as poll() does, and STOWAGE_MPI_ERROR when
// the operation ends in an error. After a wait that was given up the request is still active: its buffers must live on
// until MPI is finalised (mpi/lent.hpp). For messages see mpi/request.hpp.
void wait(MPI_Request& request, const Idle& idle, Deadline deadline, std::string_view what);

}  // namespace stowage::mpi
