// SPDX-License-Identifier: Apache-2.0
#include "plan/balance.hpp"

#include <algorithm>
#include <numeric>

#include "plan/differencing.hpp"
#include "plan/parallel.hpp"

namespace stowage::plan {

namespace {

constexpr int kPairRounds = 24;
constexpr double kExcessLeft = 32.0;  // an exchange that leaves less than this part of the excess is good enough
constexpr std::size_t kParallelBins = 64;

// Bins from the longest to the shortest; ties by number.
class ByTime {
 public:
  explicit ByTime(const Bins& bins) : bins_(bins), order_(bins.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), Longer{bins_});
  }
  std::size_t size() const noexcept { return order_.size(); }
  std::uint32_t operator[](std::size_t k) const noexcept { return order_[k]; }
  void sort() { std::sort(order_.begin(), order_.end(), Longer{bins_}); }

  // After the bins at two positions have changed; O(bins), which is a short memmove.
  void moved(std::size_t a, std::size_t b) {
    const std::uint32_t first = order_[a];
    const std::uint32_t second = order_[b];
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
    for (const std::uint32_t bin : {first, second}) {
      order_.insert(std::lower_bound(order_.begin(), order_.end(), bin, Longer{bins_}), bin);
    }
  }

 private:
  struct Longer {
    const Bins& bins;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      const double left = bins[a].time();
      const double right = bins[b].time();
      return left != right ? left > right : a < b;
    }
  };
  const Bins& bins_;
  std::vector<std::uint32_t> order_;
};

// Divides the items of two bins of one shape anew. False, and nothing changed, where that does not help or fit.
bool divide_anew(const Items& items, Bin& slow, Bin& fast, bool keep_filled) {
  std::vector<std::uint32_t> merged(slow.items.size() + fast.items.size());
  std::merge(slow.items.begin(), slow.items.end(), fast.items.begin(), fast.items.end(), merged.begin());
  std::vector<Work> work(merged.size());
  std::transform(merged.begin(), merged.end(), work.begin(), [&](std::uint32_t item) { return items.work[item]; });
  std::vector<std::uint8_t> side;
  if (difference_pair(work, side) >= slow.load - fast.load) return false;
  Bin sides[2] = {{slow.shape, {}}, {fast.shape, {}}};
  for (std::size_t k = 0; k < merged.size(); ++k) {
    if (!sides[side[k]].fits(items, merged[k])) return false;
    sides[side[k]].add(items, merged[k]);
  }
  if (keep_filled && (sides[0].items.empty() || sides[1].items.empty())) return false;
  slow = std::move(sides[0]);
  fast = std::move(sides[1]);
  return true;
}

// One exchange where that is enough; where it is not, the items of both are divided anew.
bool level(const Items& items, Bin& slow, Bin& fast, const BalanceOptions& options) {
  ExchangeSearch search(items, options.keep_filled);
  MoveBudget once(1);
  const Exchange exchange = search.single(slow, fast, once);
  const double even = static_cast<double>(slow.load + fast.load) / (slow.shape.speed + fast.shape.speed);
  const bool enough =
      exchange.found && exchange.time <= std::max(options.target, even + (slow.time() - even) / kExcessLeft);
  if (!enough && slow.shape.speed == fast.shape.speed && divide_anew(items, slow, fast, options.keep_filled))
    return true;
  if (exchange.found) search.apply(exchange, slow, fast);
  return exchange.found;
}

// The longest with the shortest, the second longest with the second shortest, and so on: all loads close in on the
// mean together. The pairs are independent, so threads change nothing but the time taken.
void pair_rounds(const Items& items, Bins& bins, ByTime& by_time, const BalanceOptions& options, MoveBudget& budget) {
  const std::size_t pairs = bins.size() / 2;
  for (int round = 0; round < kPairRounds && !budget.exhausted(); ++round) {
    const double longest = bins[by_time[0]].time();
    if (longest <= options.target) return;
    std::vector<std::uint8_t> changed(pairs, 0);
    for_each_index(pairs, items.size() > kParallelItems && bins.size() > kParallelBins, [&](std::size_t p) {
      Bin& slow = bins[by_time[p]];
      Bin& fast = bins[by_time[by_time.size() - 1 - p]];
      if (slow.time() > fast.time() && slow.time() > options.target)
        changed[p] = level(items, slow, fast, options) ? 1 : 0;
    });
    budget.spend(items.size());
    by_time.sort();
    if (std::count(changed.begin(), changed.end(), 1) == 0 || bins[by_time[0]].time() >= longest) return;
  }
}

// Of the longest bin with each of the others from the shortest up, the first exchange that shortens it.
bool shorten_longest(Bins& bins, ByTime& by_time, ExchangeSearch& search, bool several, MoveBudget& budget) {
  Bin& slow = bins[by_time[0]];
  for (std::size_t k = by_time.size() - 1; k > 0 && !budget.exhausted(); --k) {
    Bin& fast = bins[by_time[k]];
    if (fast.time() >= slow.time()) return false;
    const Exchange exchange = several ? search.several(slow, fast, budget) : search.single(slow, fast, budget);
    if (!exchange.found) continue;
    search.apply(exchange, slow, fast);
    by_time.moved(0, k);
    return true;
  }
  return false;
}

}  // namespace

void balance(const Items& items, Bins& bins, const BalanceOptions& options, MoveBudget& budget) {
  for (Bin& bin : bins) std::sort(bin.items.begin(), bin.items.end());
  if (bins.size() < 2) return;
  ByTime by_time(bins);
  pair_rounds(items, bins, by_time, options, budget);
  ExchangeSearch search(items, options.keep_filled);
  while (!budget.exhausted() && bins[by_time[0]].time() > options.target) {
    if (shorten_longest(bins, by_time, search, false, budget)) continue;
    if (!shorten_longest(bins, by_time, search, true, budget)) return;
  }
}

}  // namespace stowage::plan
