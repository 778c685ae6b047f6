// SPDX-License-Identifier: Apache-2.0
#include "plan/bounds.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/narrow.hpp"

namespace stowage::plan {

namespace {

constexpr std::uint64_t kSharing = 16;  // long items a bin, up to which their number is looked at

double pigeonhole_bound(const Items& items, std::size_t bins, double speed) {
  Work most = 0;
  for (std::size_t k = 1; k * bins < items.size(); ++k) {
    Work sum = 0;
    for (std::size_t i = k * bins - k; i <= k * bins; ++i) sum += items.work[i];
    most = std::max(most, sum);
  }
  return static_cast<double>(most) / speed;
}

}  // namespace

double makespan_bound(const Items& items, std::span<const BinShape> shapes) {
  std::vector<double> speeds(shapes.size());
  std::transform(shapes.begin(), shapes.end(), speeds.begin(), [](const BinShape& shape) { return shape.speed; });
  std::sort(speeds.begin(), speeds.end(), std::greater<>());
  const bool alike = speeds.front() == speeds.back();
  const double all_speeds = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  double bound =
      alike ? static_cast<double>(div_ceil<std::uint64_t>(static_cast<std::uint64_t>(items.total), speeds.size())) /
                  speeds[0]
            : static_cast<double>(items.total) / all_speeds;
  Work work = 0;
  double speed = 0.0;
  for (std::size_t j = 0; j < std::min(speeds.size(), items.size()); ++j) {
    work += items.work[j];
    speed += speeds[j];
    bound = std::max(bound, static_cast<double>(work) / speed);
  }
  return alike ? std::max(bound, pigeonhole_bound(items, speeds.size(), speeds[0])) : bound;
}

std::uint64_t bin_count_bound(std::span<const std::uint32_t> tokens, std::uint64_t cap) {
  std::vector<std::uint32_t> sorted(tokens.begin(), tokens.end());
  if (!std::is_sorted(sorted.begin(), sorted.end(), std::greater<>()))
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<std::uint64_t> sum(sorted.size() + 1, 0);
  for (std::size_t i = 0; i < sorted.size(); ++i) sum[i + 1] = sum[i] + sorted[i];
  if (sum.back() == 0) return sorted.empty() ? 0 : 1;
  std::size_t over_half = 0;
  while (over_half < sorted.size() && sorted[over_half] > cap / 2) ++over_half;
  std::uint64_t bound = std::max<std::uint64_t>(div_ceil(sum.back(), cap), over_half);
  // At most k items longer than cap / (k + 1) share a bin.
  for (std::uint64_t k = 2; k <= kSharing; ++k) {
    const auto longer = static_cast<std::uint64_t>(
        std::partition_point(sorted.begin(), sorted.end(), [&](std::uint64_t t) { return t * (k + 1) > cap; }) -
        sorted.begin());
    bound = std::max(bound, div_ceil(longer, k));
  }
  // L2 with each length up to half the cap as threshold: items of more than the cap less the threshold stand alone; the
  // others above half need a bin each and leave some room; items from the threshold to half the cap that this room does
  // not hold need further bins. Descending thresholds let the count of lone items fall.
  std::size_t alone = over_half;
  for (std::size_t i = over_half; i < sorted.size(); ++i) {
    while (alone > 0 && sorted[alone - 1] <= cap - sorted[i]) --alone;
    const std::uint64_t room = (over_half - alone) * cap - (sum[over_half] - sum[alone]);
    const std::uint64_t small = sum[i + 1] - sum[over_half];
    if (small > room) bound = std::max<std::uint64_t>(bound, over_half + div_ceil(small - room, cap));
  }
  return bound;
}

}  // namespace stowage::plan
