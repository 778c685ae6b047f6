// SPDX-License-Identifier: Apache-2.0
// The differencing method of N. Karmarkar and R. M. Karp, "The Differencing Method of Set Partitioning" (Berkeley,
// 1982): the two partial divisions that differ most are combined, the largest part of one with the smallest of the
// other, until one is left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/items.hpp"

namespace stowage::plan {

enum class Counts { free, equal };  // equal: parts hold the same number of items, give or take one

// Divides items 0 .. work.size()-1 (work descending) into `parts` sets of about equal work. Time and memory
// O(items * parts) at worst.
std::vector<std::vector<std::uint32_t>> karmarkar_karp(std::span<const Work> work, std::uint32_t parts, Counts counts);

// Two sets, in O(n log n). `side[i]` becomes the set of work[i]; returns load(0) - load(1), which is >= 0.
// `work` must be descending.
Work difference_pair(std::span<const Work> work, std::vector<std::uint8_t>& side);

}  // namespace stowage::plan
