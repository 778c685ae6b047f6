// SPDX-License-Identifier: Apache-2.0
#include "plan/lpt.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace stowage::plan {

namespace {

constexpr std::size_t kScanned = 16;  // bins that are scanned faster than kept in a heap

bool all_alike(const Bins& bins) {
  return std::all_of(bins.begin(), bins.end(), [&](const Bin& bin) { return bin.shape == bins.front().shape; });
}

// Bins with the least loaded on top. Bins that are too full for the smallest item left are forgotten.
class LeastLoaded {
 public:
  explicit LeastLoaded(const Bins& bins) : bins_(bins), heap_(bins.size()) {
    std::iota(heap_.begin(), heap_.end(), 0U);
  }

  // Adds the item to the least loaded bin that has room; false when none has.
  bool place(const Items& items, std::uint32_t item, std::uint64_t smallest_tokens, Bins& bins) {
    set_aside_.clear();
    while (!heap_.empty() && !bins[heap_.front()].fits(items, item)) {
      const std::uint32_t full = pop();
      if (bins[full].tokens + smallest_tokens <= bins[full].shape.tokens) set_aside_.push_back(full);
    }
    const bool placed = !heap_.empty();
    if (placed) {
      bins[heap_.front()].add(items, item);
      top_grew();
    }
    for (const std::uint32_t bin : set_aside_) push(bin);
    return placed;
  }

 private:
  bool before(std::uint32_t a, std::uint32_t b) const noexcept {
    const auto key = [&](std::uint32_t bin) { return std::tuple(bins_[bin].load, bins_[bin].items.size(), bin); };
    return bins_[a].load != bins_[b].load ? bins_[a].load < bins_[b].load : key(a) < key(b);
  }
  void top_grew() noexcept {
    const std::uint32_t moving = heap_.front();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
      if (before(moving, heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = moving;
  }
  std::uint32_t pop() {
    const std::uint32_t top = heap_.front();
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) top_grew();
    return top;
  }
  void push(std::uint32_t bin) {
    heap_.push_back(bin);
    std::push_heap(heap_.begin(), heap_.end(), [&](std::uint32_t a, std::uint32_t b) { return before(b, a); });
  }

  const Bins& bins_;
  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> set_aside_;
};

// The bin with room that ends first; bins.size() when there is none.
std::size_t ends_first(const Items& items, std::uint32_t item, const Bins& bins) {
  std::size_t best = bins.size();
  for (std::size_t b = 0; b < bins.size(); ++b) {
    if (!bins[b].fits(items, item)) continue;
    const auto key = [&](std::size_t k) {
      return std::pair(bins[k].time_with(items.work[item]), bins[k].items.size());
    };
    if (best == bins.size() || key(b) < key(best)) best = b;
  }
  return best;
}

}  // namespace

bool longest_processing_time(const Items& items, std::span<const std::uint32_t> chosen, Bins& bins) {
  if (bins.empty()) return chosen.empty();
  if (bins.size() > kScanned && all_alike(bins)) {
    std::uint64_t smallest_tokens = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint32_t item : chosen)
      smallest_tokens = std::min<std::uint64_t>(smallest_tokens, items.tokens[item]);
    LeastLoaded least(bins);
    return std::all_of(chosen.begin(), chosen.end(),
                       [&](std::uint32_t item) { return least.place(items, item, smallest_tokens, bins); });
  }
  return std::all_of(chosen.begin(), chosen.end(), [&](std::uint32_t item) {
    const std::size_t bin = ends_first(items, item, bins);
    if (bin == bins.size()) return false;
    bins[bin].add(items, item);
    return true;
  });
}

bool best_fit_decreasing(const Items& items, std::span<const std::uint32_t> chosen, Bins& bins) {
  std::vector<std::uint32_t> longest_first(chosen.begin(), chosen.end());
  std::sort(longest_first.begin(), longest_first.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(items.tokens[b], items.tiles_of(b), a) < std::tuple(items.tokens[a], items.tiles_of(a), b);
  });
  for (const std::uint32_t item : longest_first) {
    Bin* best = nullptr;
    for (Bin& bin : bins) {
      if (bin.fits(items, item) && (best == nullptr || bin.tokens > best->tokens)) best = &bin;
    }
    if (best == nullptr) return false;
    best->add(items, item);
  }
  return true;
}

}  // namespace stowage::plan
