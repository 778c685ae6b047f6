// SPDX-License-Identifier: Apache-2.0
#include "plan/tile_slots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stowage::plan {

namespace {

constexpr std::int64_t kReach = 6;   // samples of a class more or fewer than its even share
constexpr std::int64_t kSpread = 5;  // tiles of an iteration more or fewer than the even share

// Descending lists of `count` numbers of tiles within [low, high] with the given sum, at most `most` of them, those
// next to the even share first.
class Targets {
 public:
  Targets(std::int64_t sum, std::size_t count, std::size_t most) : most_(most) {
    const auto even = sum / static_cast<std::int64_t>(count);
    for (std::int64_t spread = 1; spread <= kSpread && lists_.size() < most; ++spread) {
      low_ = std::max<std::int64_t>(0, even - spread + 1);
      extend(sum, count, even + spread);
    }
  }
  const std::vector<std::vector<std::int64_t>>& lists() const noexcept { return lists_; }

 private:
  void extend(std::int64_t sum, std::size_t count, std::int64_t high) {
    if (count == 0 && sum == 0 && lists_.size() < most_) lists_.push_back(list_);
    const auto left = static_cast<std::int64_t>(count);
    if (count == 0 || sum < low_ * left || sum > high * left || lists_.size() >= most_) return;
    for (std::int64_t value = high; value >= low_; --value) {
      list_.push_back(value);
      extend(sum - value, count - 1, value);
      list_.pop_back();
    }
  }

  std::size_t most_;
  std::int64_t low_ = 0;
  std::vector<std::int64_t> list_;
  std::vector<std::vector<std::int64_t>> lists_;
};

}  // namespace

TileSlots::TileSlots(std::span<const std::uint32_t> tiles, std::size_t replicas, std::size_t iterations)
    : tiles_of_class_(tiles.begin(), tiles.end()) {
  std::sort(tiles_of_class_.begin(), tiles_of_class_.end());
  tiles_of_class_.erase(std::unique(tiles_of_class_.begin(), tiles_of_class_.end()), tiles_of_class_.end());
  samples_.assign(classes(), 0);
  for (const std::uint32_t t : tiles) ++samples_[class_of(t)];

  const std::int64_t total = std::accumulate(tiles.begin(), tiles.end(), std::int64_t{0});
  const auto count = static_cast<std::int64_t>(replicas);
  const std::int64_t per_replica = (total + count - 1) / count;
  Filling best{{}, std::numeric_limits<std::int64_t>::max()};
  const Targets ways(per_replica, iterations, kTried);
  for (const auto& targets : ways.lists()) {
    Filling filling = fill_iterations(targets, replicas);
    if (filling.off < best.off) best = std::move(filling);
    if (best.off == per_replica * count - total) break;  // no way misses fewer
  }
  slots_ = std::move(best.slots);
}

std::size_t TileSlots::class_of(std::uint32_t tiles) const {
  return static_cast<std::size_t>(std::lower_bound(tiles_of_class_.begin(), tiles_of_class_.end(), tiles) -
                                  tiles_of_class_.begin());
}

TileSlots::Filling TileSlots::fill_iterations(std::span<const std::int64_t> targets, std::size_t replicas) const {
  const std::size_t micro_batches = targets.size() * replicas;
  Filling filling{std::vector<std::int64_t>(micro_batches * classes(), 0), 0};
  std::vector<std::int64_t> left = samples_;
  for (std::size_t b = 0; b < micro_batches; ++b) {
    const std::span slots = std::span(filling.slots).subspan(b * classes(), classes());
    const std::int64_t target = targets[b / replicas];
    std::int64_t held = 0;
    if (b + 1 < micro_batches) {
      held = choose(left, target, 1.0 / static_cast<double>(micro_batches - b), slots);
    } else {  // the last one takes what there is
      std::copy(left.begin(), left.end(), slots.begin());
      for (std::size_t c = 0; c < classes(); ++c) held += left[c] * tiles_of_class_[c];
    }
    filling.off += std::abs(target - held);
  }
  return filling;
}

// Of all choices with `target` tiles (or as many fewer as there must be) the one nearest to the even share of each
// class, by dynamic programming over classes and tiles. Returns its tiles.
std::int64_t TileSlots::choose(std::vector<std::int64_t>& left, std::int64_t target, double share,
                               std::span<std::int64_t> slots) const {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto width = static_cast<std::size_t>(target) + 1;
  std::vector<double> cost(width, kNever);
  std::vector<std::int64_t> taken(classes() * width, 0);
  cost[0] = 0.0;
  for (std::size_t c = 0; c < classes(); ++c) {
    const double even = static_cast<double>(left[c]) * share;
    const auto last = std::min<std::int64_t>(left[c], std::llround(even) + kReach);
    const auto first = std::clamp<std::int64_t>(std::llround(even) - kReach, 0, last);
    std::vector<double> next(width, kNever);
    for (std::size_t sum = 0; sum < width; ++sum) {
      if (cost[sum] == kNever) continue;
      for (std::int64_t n = first; n <= last; ++n) {
        const std::size_t to = sum + static_cast<std::size_t>(n) * tiles_of_class_[c];
        if (to >= width) break;
        const double off = static_cast<double>(n) - even;
        if (cost[sum] + off * off < next[to]) {
          next[to] = cost[sum] + off * off;
          taken[c * width + to] = n;
        }
      }
    }
    cost = std::move(next);
  }
  std::size_t sum = width;
  while (sum > 0 && cost[sum - 1] == kNever) --sum;
  if (sum-- == 0) return 0;  // not even the fewest samples of each class fit the target
  const auto held = static_cast<std::int64_t>(sum);
  for (std::size_t c = classes(); c-- > 0;) {
    slots[c] = taken[c * width + sum];
    left[c] -= slots[c];
    sum -= static_cast<std::size_t>(slots[c]) * tiles_of_class_[c];
  }
  return held;
}

}  // namespace stowage::plan
