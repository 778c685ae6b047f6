// SPDX-License-Identifier: Apache-2.0
// Greedy starts of the search.
#pragma once

#include <span>

#include "plan/bins.hpp"

namespace stowage::plan {

// Longest processing time first (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", 1969): items, given
// costliest first, each to the bin that ends first with it; ties to the bin with fewer items, then to the lower number.
// False when an item fits no bin; the bins are then partly filled. Bins must be empty before.
bool longest_processing_time(const Items& items, std::span<const std::uint32_t> chosen, Bins& bins);

// Best fit decreasing by tokens, then tiles: each item, longest first, to the fullest bin that has room. Packs tighter
// and balances less. False when an item fits no bin.
bool best_fit_decreasing(const Items& items, std::span<const std::uint32_t> chosen, Bins& bins);

}  // namespace stowage::plan
