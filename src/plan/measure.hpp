// SPDX-License-Identifier: Apache-2.0
// How good a plan is, and how near to what no plan can beat.
#pragma once

#include "plan/plan.hpp"
#include "plan/ratios.hpp"

namespace stowage::plan {

struct Measures {
  double replica_max_over_mean = 1.0;        // of cost
  double replica_bound_max_over_mean = 1.0;  // the lower bound on the costliest replica over the mean
  double slowest_over_bound = 1.0;           // costliest micro-batch over its bound for this many micro-batches
  double makespan_over_bound = 1.0;          // the objective over its bound
  double micro_batches = 0.0;                // of the replica with most
  double micro_batches_bound = 0.0;          // that tokens and tiles call for
  double padding_share = 0.0;                // of the caps of all micro-batches, what holds no real token
  PhaseRatios ratios;
  PhaseRatios ratio_bounds;
  std::uint64_t dropped = 0;  // sequences that the plan leaves out
};

// The bound of a pipeline objective is that of plans with at most request.extra_micro_batches more micro-batches a
// replica than the least count. A cap of 0 means stage one alone: no bound on counts, no padding.
Measures measure(const Request& request, const Plan& plan);

}  // namespace stowage::plan
