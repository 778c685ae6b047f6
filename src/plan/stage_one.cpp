// SPDX-License-Identifier: Apache-2.0
#include "plan/stage_one.hpp"

#include <algorithm>
#include <numeric>

#include "plan/balance.hpp"
#include "plan/bounds.hpp"
#include "plan/differencing.hpp"
#include "plan/exact.hpp"
#include "plan/lpt.hpp"

namespace stowage::plan {

namespace {

constexpr double kTolerance = 1e-5;  // nearer to the bound no trainer could measure

constexpr std::uint64_t kFullBudget = 8192;  // sequences up to which each has its moves
constexpr std::uint64_t kExactNodes = 4;     // of the complete search, an exchange of the budget

// Items x bins up to which differencing is cheap enough for a start (about 0.3 ms), and for a second try (10 ms).
constexpr std::uint64_t kDifferencingStart = std::uint64_t{1} << 17;
constexpr std::uint64_t kBestFit = std::uint64_t{1} << 24;  // items x bins up to which a tighter packing is tried
constexpr std::uint64_t kDifferencingRetry = std::uint64_t{1} << 22;

std::vector<std::uint32_t> all_items(const Items& items) {
  std::vector<std::uint32_t> all(items.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

Bins empty_bins(std::span<const BinShape> shapes) {
  Bins bins(shapes.size());
  for (std::size_t b = 0; b < shapes.size(); ++b) bins[b].shape = shapes[b];
  return bins;
}

std::optional<Bins> greedy(const Items& items, std::span<const BinShape> shapes) {
  const std::vector<std::uint32_t> all = all_items(items);
  Bins bins = empty_bins(shapes);
  if (longest_processing_time(items, all, bins)) return bins;
  if (items.size() * shapes.size() > kBestFit) return std::nullopt;
  bins = empty_bins(shapes);
  if (best_fit_decreasing(items, all, bins)) return bins;
  return std::nullopt;
}

std::optional<Bins> differenced(const Items& items, std::span<const BinShape> shapes) {
  const bool alike = std::all_of(shapes.begin(), shapes.end(), [&](const BinShape& s) { return s == shapes.front(); });
  if (!alike) return std::nullopt;
  Bins bins = empty_bins(shapes);
  const auto parts = karmarkar_karp(items.work, static_cast<std::uint32_t>(shapes.size()), Counts::free);
  for (std::size_t b = 0; b < bins.size(); ++b) {
    for (const std::uint32_t item : parts[b]) {
      if (!bins[b].fits(items, item)) return std::nullopt;
      bins[b].add(items, item);
    }
  }
  return bins;
}

// The cheapest item that fits, of a bin that can spare one, to every empty bin.
bool fill_empty(const Items& items, Bins& bins) {
  for (Bin& empty : bins) {
    if (!empty.items.empty()) continue;
    Bin* giver = nullptr;
    std::size_t place = 0;
    for (Bin& bin : bins) {
      for (std::size_t k = 0; bin.items.size() > 1 && k < bin.items.size(); ++k) {
        if (empty.fits(items, bin.items[k]) && (giver == nullptr || bin.items[k] > giver->items[place])) {
          giver = &bin;
          place = k;
        }
      }
    }
    if (giver == nullptr) return false;
    empty.add(items, giver->items[place]);
    Bin rest{giver->shape, {}};
    for (std::size_t k = 0; k < giver->items.size(); ++k) {
      if (k != place) rest.add(items, giver->items[k]);
    }
    *giver = std::move(rest);
  }
  return true;
}

}  // namespace

StageOneOptions stage_one_options(const Request& request) {
  // Large steps need fewer moves a sequence: a greedy start of many is nearly level.
  const std::uint64_t sequences =
      std::min<std::uint64_t>(request.tokens.size(), kFullBudget + request.tokens.size() / 32);
  return {request.allow_empty_replicas, kTolerance, request.moves_per_sequence * sequences};
}

std::optional<Bins> assign_replicas(const Items& items, std::span<const BinShape> shapes,
                                    const StageOneOptions& options) {
  BalanceOptions balancing;
  balancing.target = makespan_bound(items, shapes) * (1.0 + options.tolerance);
  balancing.keep_filled = !options.allow_empty;
  MoveBudget budget(options.moves);
  const std::uint64_t size = items.size() * shapes.size();
  std::optional<Bins> best;
  const auto take_better = [&](std::optional<Bins> bins, bool search) {
    if (!bins || (!options.allow_empty && !fill_empty(items, *bins))) return;
    if (search) balance(items, *bins, balancing, budget);
    if (!best || makespan(*bins) < makespan(*best)) best = std::move(bins);
  };
  const auto settled = [&] { return best && makespan(*best) <= balancing.target; };
  const bool differencing_first = size <= kDifferencingStart;
  take_better(greedy(items, shapes), !differencing_first);
  if (differencing_first && !settled()) take_better(differenced(items, shapes), false);
  if (differencing_first && best && !settled()) balance(items, *best, balancing, budget);
  if (!differencing_first && !settled() && size <= kDifferencingRetry) take_better(differenced(items, shapes), true);
  if (best && !settled() && items.size() <= kExactItems) {
    search_completely(items, all_items(items), *best, balancing.target, balancing.keep_filled,
                      kExactNodes * options.moves);
  }
  return best;
}

}  // namespace stowage::plan
