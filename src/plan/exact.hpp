// SPDX-License-Identifier: Apache-2.0
// Complete search for small divisions.
#pragma once

#include <cstdint>
#include <span>

#include "plan/bins.hpp"

namespace stowage::plan {

inline constexpr std::size_t kExactItems = 16;

// Replaces `bins`, a division of `chosen` (ascending), by a shortest one if it finds one within so many nodes: items in
// order of cost, each to every bin from the least loaded up, given up where no better end is possible (R. E. Korf, "A
// Complete Anytime Algorithm for Number Partitioning", 1998). Bins keep their shapes. `target` is a lower bound.
void search_completely(const Items& items, std::span<const std::uint32_t> chosen, Bins& bins, double target,
                       bool keep_filled, std::uint64_t nodes);

}  // namespace stowage::plan
