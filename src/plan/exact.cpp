// SPDX-License-Identifier: Apache-2.0
#include "plan/exact.hpp"

#include <algorithm>
#include <numeric>

namespace stowage::plan {

namespace {

class CompleteSearch {
 public:
  CompleteSearch(const Items& items, std::span<const std::uint32_t> chosen, Bins& best, double target, bool keep_filled,
                 std::uint64_t nodes)
      : items_(items),
        chosen_(chosen),
        best_(best),
        best_time_(makespan(best)),
        target_(target),
        keep_filled_(keep_filled),
        nodes_(nodes),
        bins_(best) {
    for (Bin& bin : bins_) bin.clear();
  }

  void place(std::size_t k) {
    if (nodes_ == 0 || best_time_ <= target_) return;
    --nodes_;
    const auto empty = static_cast<std::size_t>(
        std::count_if(bins_.begin(), bins_.end(), [](const Bin& b) { return b.items.empty(); }));
    if (keep_filled_ && empty > chosen_.size() - k && chosen_.size() >= bins_.size()) return;
    if (k == chosen_.size()) {
      if (const double time = makespan(bins_); time < best_time_) {
        best_ = bins_;
        best_time_ = time;
      }
      return;
    }
    const std::uint32_t item = chosen_[k];
    std::vector<std::size_t> order(bins_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bins_[a].time() < bins_[b].time(); });
    for (std::size_t n = 0; n < order.size(); ++n) {
      Bin& bin = bins_[order[n]];
      if (!bin.fits(items_, item) || bin.time_with(items_.work[item]) >= best_time_ ||
          (n > 0 && alike(bin, bins_[order[n - 1]])))
        continue;
      bin.add(items_, item);
      place(k + 1);
      bin.items.pop_back();
      bin.load -= items_.work[item];
      bin.tokens -= items_.tokens[item];
      bin.tiles -= items_.tiles_of(item);
    }
  }

 private:
  static bool alike(const Bin& a, const Bin& b) {
    return a.load == b.load && a.tokens == b.tokens && a.tiles == b.tiles && a.items.empty() == b.items.empty() &&
           a.shape == b.shape;
  }

  const Items& items_;
  std::span<const std::uint32_t> chosen_;
  Bins& best_;
  double best_time_;
  double target_;
  bool keep_filled_;
  std::uint64_t nodes_;
  Bins bins_;
};

}  // namespace

void search_completely(const Items& items, std::span<const std::uint32_t> chosen, Bins& bins, double target,
                       bool keep_filled, std::uint64_t nodes) {
  CompleteSearch(items, chosen, bins, target, keep_filled, nodes).place(0);
}

}  // namespace stowage::plan
