// SPDX-License-Identifier: Apache-2.0
#include "cli/wait_clock.hpp"

#include <algorithm>
#include <vector>

#include "mpi/group.hpp"
#include "mpi/rounds.hpp"

namespace stowage::cli {
namespace {

// By one trainer, in seconds.
struct Measured {
  double waited = 0;  // in the waits after the first one
  double waits = 0;   // how many those are
  double after_first = 0;
  double first = 0;
  double longest = 0;
  double whole = 0;
};

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

void WaitClock::acquire_begins() {
  acquiring_ = Clock::now();
  if (acquired_ == 0) began_ = acquiring_;
}

double WaitClock::acquire_ends() {
  const Clock::time_point now = Clock::now();
  const double waited = seconds(now - acquiring_);
  if (acquired_++ == 0) {
    first_ = waited;
    after_first_ = now;
    return waited;
  }
  waited_ += waited;
  longest_ = std::max(longest_, waited);
  return waited;
}

void WaitClock::step_ends() {
  ended_ = Clock::now();
}

WaitSummary WaitClock::summary(MPI_Comm trainers, const mpi::Idle& idle) const {
  Measured mine{.waited = waited_, .first = first_, .longest = longest_};
  if (acquired_ > 0) {
    mine.waits = static_cast<double>(acquired_ - 1);
    mine.after_first = seconds(ended_ - after_first_);
    mine.whole = seconds(ended_ - began_);
  }
  std::vector<Measured> all{mine};
  if (trainers != MPI_COMM_NULL) all = mpi::all_gather<Measured>(trainers, mine, mpi::Rounds{idle});

  WaitSummary summary;
  Measured sum;
  for (const Measured& one : all) {
    sum.waited += one.waited;
    sum.waits += one.waits;
    sum.after_first += one.after_first;
    summary.first_seconds = std::max(summary.first_seconds, one.first);
    summary.max_seconds = std::max(summary.max_seconds, one.longest);
    summary.seconds = std::max(summary.seconds, one.whole);
  }
  summary.mean_seconds = sum.waits > 0 ? sum.waited / sum.waits : 0.0;
  summary.share = sum.after_first > 0 ? sum.waited / sum.after_first : 0.0;
  return summary;
}

}  // namespace stowage::cli
