// SPDX-License-Identifier: Apache-2.0
// Packings of items to a plan of sequences.
#pragma once

#include <span>

#include "plan/items.hpp"
#include "plan/plan.hpp"
#include "plan/stage_two.hpp"

namespace stowage::plan {

// One packing a replica; micro-batches in the request's order, sequences of a micro-batch in drawn order.
Plan to_plan(const Request& request, const Items& items, std::span<const Packing> packings);

}  // namespace stowage::plan
