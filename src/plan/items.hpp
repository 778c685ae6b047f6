// SPDX-License-Identifier: Apache-2.0
// The sequences of one step as the planner works on them: compact arrays, sorted, with costs as integers.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace stowage::plan {

// Cost in fixed point. Sums of integers do not depend on their order, so neither does any decision.
using Work = std::int64_t;

// Items are numbered from the costliest down. Everything after sorting depends on this rank and never on the drawn
// index, so that a permuted step gets the same division.
struct Items {
  std::vector<Work> work;               // descending; the sum is below 2^61
  std::vector<std::uint32_t> tokens;    // padded
  std::vector<std::uint32_t> tiles;     // empty where the request has none
  std::vector<std::uint32_t> sequence;  // index in the request
  double unit = 1.0;                    // cost of one unit of work; a power of two
  Work total = 0;

  std::size_t size() const noexcept { return work.size(); }
  std::uint32_t tiles_of(std::uint32_t item) const noexcept { return tiles.empty() ? 0 : tiles[item]; }
};

// Throws STOWAGE_INVALID_ARGUMENT for coefficients that are negative or not finite.
Items sorted_items(const Request& request);

}  // namespace stowage::plan
