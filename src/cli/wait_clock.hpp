// SPDX-License-Identifier: Apache-2.0
// How long a trainer waited for data, and what share of its time that was.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

#include "mpi/wait.hpp"

namespace stowage::cli {

// Over all trainers. The first step is told apart: it waits for start-up, which no prefetch can hide.
struct WaitSummary {
  double first_seconds = 0;  // longest wait for the first step
  double mean_seconds = 0;   // of all waits after it
  double max_seconds = 0;
  double share = 0;    // waits / (waits + everything else), after the first step
  double seconds = 0;  // longest time from the first acquire to the last release
};

class WaitClock {
 public:
  void acquire_begins();
  double acquire_ends();  // the seconds waited
  void step_ends();

  // Collective over `trainers` (MPI_COMM_NULL: this process alone); throws what `idle` throws, which is called
  // while it waits for the others.
  WaitSummary summary(MPI_Comm trainers, const mpi::Idle& idle) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t acquired_ = 0;
  double first_ = 0;
  double waited_ = 0;
  double longest_ = 0;
  Clock::time_point began_{};
  Clock::time_point after_first_{};
  Clock::time_point acquiring_{};
  Clock::time_point ended_{};
};

}  // namespace stowage::cli
