// SPDX-License-Identifier: Apache-2.0
// The order of a replica's micro-batches inside a step.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/items.hpp"
#include "plan/stage_two.hpp"

namespace stowage::plan {

// Positions of the packing's micro-batches in the order they run; empty ones last.
std::vector<std::uint32_t> micro_batch_order(const Items& items, const Packing& packing, MicroBatchOrder order);

}  // namespace stowage::plan
