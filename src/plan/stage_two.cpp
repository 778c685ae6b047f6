// SPDX-License-Identifier: Apache-2.0
#include "plan/stage_two.hpp"

#include <algorithm>

#include "base/narrow.hpp"
#include "plan/balance.hpp"
#include "plan/bounds.hpp"
#include "plan/exact.hpp"
#include "plan/lpt.hpp"

namespace stowage::plan {

namespace {

Bins empty_bins(std::uint32_t count, const BinShape& shape) {
  Bins bins(count);
  for (Bin& bin : bins) bin.shape = shape;
  return bins;
}

std::optional<Bins> greedy(const Items& items, std::span<const std::uint32_t> chosen, const BinShape& shape,
                           std::uint32_t count) {
  Bins bins = empty_bins(count, shape);
  if (longest_processing_time(items, chosen, bins)) return bins;
  bins = empty_bins(count, shape);
  if (!best_fit_decreasing(items, chosen, bins)) return std::nullopt;
  fill_empty(items, bins);
  return bins;
}

double slowest_bound(const Items& items, std::span<const std::uint32_t> chosen, const BinShape& shape,
                     std::uint32_t count) {
  Work total = 0;
  for (const std::uint32_t item : chosen) total += items.work[item];
  const Work share = static_cast<Work>(div_ceil<std::uint64_t>(static_cast<std::uint64_t>(total), count));
  return static_cast<double>(std::max(share, items.work[chosen.front()])) / shape.speed;
}

}  // namespace

void fill_empty(const Items& items, Bins& bins) {
  for (Bin& empty : bins) {
    if (!empty.items.empty()) continue;
    Bin& giver = *std::max_element(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) {
      return a.items.size() != b.items.size() ? a.items.size() < b.items.size() : a.load < b.load;
    });
    if (giver.items.size() < 2) return;
    empty.add(items, giver.items.back());
    std::vector<std::uint32_t> rest(giver.items.begin(), giver.items.end() - 1);
    giver.clear();
    for (const std::uint32_t item : rest) giver.add(items, item);
  }
}

Packing to_packing(std::span<const Bin> bins) {
  Packing packing;
  packing.begin.push_back(0);
  for (const Bin& bin : bins) {
    packing.items.insert(packing.items.end(), bin.items.begin(), bin.items.end());
    packing.begin.push_back(static_cast<std::uint32_t>(packing.items.size()));
    packing.load.push_back(bin.load);
  }
  return packing;
}

std::optional<Packing> pack_micro_batches(const Items& items, std::span<const std::uint32_t> chosen,
                                          const BinShape& shape, std::uint32_t count, const StageTwoOptions& options) {
  std::optional<Bins> bins = greedy(items, chosen, shape, count);
  if (!bins) return std::nullopt;
  if (!chosen.empty()) {
    BalanceOptions balancing;
    balancing.target = slowest_bound(items, chosen, shape, count) * (1.0 + options.tolerance);
    balancing.keep_filled = true;
    MoveBudget budget(options.moves);
    balance(items, *bins, balancing, budget);
    if (chosen.size() <= kExactItems && makespan(*bins) > balancing.target) {
      search_completely(items, chosen, *bins, balancing.target, true, options.moves);
    }
  }
  return to_packing(*bins);
}

std::uint32_t least_micro_batches(const Items& items, std::span<const std::uint32_t> chosen, const BinShape& shape) {
  std::vector<std::uint32_t> tokens(chosen.size());
  std::uint64_t tiles = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    tokens[k] = items.tokens[chosen[k]];
    tiles += items.tiles_of(chosen[k]);
  }
  return narrow<std::uint32_t>(std::max(bin_count_bound(tokens, shape.tokens), div_ceil(tiles, shape.tiles)),
                               "micro-batches of a replica");
}

}  // namespace stowage::plan
