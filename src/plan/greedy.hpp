// SPDX-License-Identifier: Apache-2.0
// Greedy two-stage assignment: longest processing time first across replicas (R. L. Graham, "Bounds on Multiprocessing
// Timing Anomalies", 1969), then the same rule into the fewest micro-batches that hold the replica's sequences.
#pragma once

#include "plan/plan.hpp"

namespace stowage::plan {

// The request must have passed make_plan's checks. Ties go to the lower index, so equal requests give equal plans.
Plan greedy_plan(const Request& request);

}  // namespace stowage::plan
