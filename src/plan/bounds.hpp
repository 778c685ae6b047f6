// SPDX-License-Identifier: Apache-2.0
// Lower bounds: no plan can do better, so that each plan carries its own gap.
#pragma once

#include <cstdint>
#include <span>

#include "plan/bins.hpp"

namespace stowage::plan {

// On the time of the slowest bin, whole items, caps not considered. The largest of: work over speed; the costliest j
// items on the j fastest bins; and for bins of one speed the k+1 cheapest of the costliest k * bins + 1 items, of
// which some bin holds k+1.
double makespan_bound(const Items& items, std::span<const BinShape> shapes);

// On the number of bins of `cap` tokens that hold the items: tokens over cap; items longer than cap / (k + 1), of which
// k share a bin; and the bound L2 of S. Martello and
// P. Toth, "Lower Bounds and Reduction Procedures for the Bin Packing Problem" (1990). `tokens` in any order; none
// longer than the cap.
std::uint64_t bin_count_bound(std::span<const std::uint32_t> tokens, std::uint64_t cap);

}  // namespace stowage::plan
