// SPDX-License-Identifier: Apache-2.0
#include "plan/order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stowage::plan {

namespace {

std::uint32_t first_drawn(const Items& items, const Packing& packing, std::uint32_t m) {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t item : packing.micro_batch(m)) first = std::min(first, items.sequence[item]);
  return first;
}

}  // namespace

std::vector<std::uint32_t> micro_batch_order(const Items& items, const Packing& packing, MicroBatchOrder order) {
  std::vector<std::uint32_t> first(packing.count());
  for (std::uint32_t m = 0; m < first.size(); ++m) first[m] = first_drawn(items, packing, m);
  std::vector<std::uint32_t> positions(packing.count());
  std::iota(positions.begin(), positions.end(), 0U);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return first[a] < first[b]; });
  if (order == MicroBatchOrder::drawn) return positions;

  const auto filled_end = std::stable_partition(positions.begin(), positions.end(),
                                                [&](std::uint32_t m) { return !packing.micro_batch(m).empty(); });
  std::stable_sort(positions.begin(), filled_end,
                   [&](std::uint32_t a, std::uint32_t b) { return packing.load[a] < packing.load[b]; });
  // From both ends inwards: the smallest first, the next smallest last, and so on.
  std::vector<std::uint32_t> ends(positions);
  const auto filled = static_cast<std::size_t>(filled_end - positions.begin());
  for (std::size_t k = 0; k < filled; ++k) ends[k % 2 == 0 ? k / 2 : filled - 1 - k / 2] = positions[k];
  return ends;
}

}  // namespace stowage::plan
