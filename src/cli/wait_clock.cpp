// SPDX-License-Identifier: Apache-2.0
#include "cli/wait_clock.hpp"

#include <algorithm>
#include <array>

namespace stowage::cli {
namespace {

double seconds(std::chrono::steady_clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

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

void WaitClock::step_ends() { ended_ = Clock::now(); }

WaitSummary WaitClock::summary(MPI_Comm trainers) const {
  const std::uint64_t measured = acquired_ > 1 ? acquired_ - 1 : 0;
  std::array<double, 3> sums{waited_, acquired_ > 0 ? seconds(ended_ - after_first_) : 0.0, static_cast<double>(measured)};
  std::array<double, 3> largest{first_, longest_, acquired_ > 0 ? seconds(ended_ - began_) : 0.0};
  if (trainers != MPI_COMM_NULL) {
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, trainers);
    MPI_Allreduce(MPI_IN_PLACE, largest.data(), 3, MPI_DOUBLE, MPI_MAX, trainers);
  }
  WaitSummary summary;
  summary.steps = measured;
  summary.first_seconds = largest[0];
  summary.mean_seconds = sums[2] > 0 ? sums[0] / sums[2] : 0.0;
  summary.max_seconds = largest[1];
  summary.share = sums[1] > 0 ? sums[0] / sums[1] : 0.0;
  summary.seconds = largest[2];
  return summary;
}

}  // namespace stowage::cli
