// SPDX-License-Identifier: Apache-2.0
// Vision-language steps: in each iteration (every replica's k-th micro-batch) replicas wait for the slowest in the
// vision phase and again in the language phase, so both must be even in every iteration, not only over the step.
#pragma once

#include <cstdint>

#include "plan/items.hpp"
#include "plan/plan.hpp"

namespace stowage::plan {

// As make_plan, for a checked request with vision tiles and replicas that are alike: samples go to all micro-batches of
// all replicas at once, micro-batches of like load form an iteration, then a local search swaps and moves samples to
// lower the DistRatios of tiles and of language cost. Counts are always equal. No sample is dropped.
Plan two_phase_plan(const Request& request);

}  // namespace stowage::plan
