// SPDX-License-Identifier: Apache-2.0
#include "plan/items.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::plan {

namespace {

constexpr int kTotalBits = 60;

void check(const CostModel& cost) {
  for (const double value : {cost.linear, cost.quadratic, cost.tile, cost.per_micro_batch, cost.per_step}) {
    if (!std::isfinite(value) || value < 0.0) {
      fail(STOWAGE_INVALID_ARGUMENT, "coefficients of a cost model must be finite and not negative, got {}", value);
    }
  }
}

// By length alone cost is monotone, and sorting plain numbers is several times faster than sorting by comparison.
std::vector<std::uint32_t> longest_first(std::span<const std::uint32_t> tokens) {
  std::vector<std::uint64_t> keys(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) keys[i] = (std::uint64_t{~tokens[i]} << 32) | i;
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order(tokens.size());
  std::transform(keys.begin(), keys.end(), order.begin(),
                 [](std::uint64_t key) { return static_cast<std::uint32_t>(key); });
  return order;
}

std::vector<std::uint32_t> costliest_first(const Request& request) {
  std::vector<std::uint32_t> order(request.tokens.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) {
    return std::tuple(-request.cost(request.tokens[i], request.vision_tiles[i]), ~request.tokens[i],
                      ~request.vision_tiles[i], i);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

Items sorted_items(const Request& request) {
  check(request.cost);
  const bool vision = !request.vision_tiles.empty();
  Items items;
  items.sequence = vision ? costliest_first(request) : longest_first(request.tokens);
  const std::size_t count = items.sequence.size();
  const auto cost = [&](std::uint32_t i) {
    return vision ? request.cost(request.tokens[i], request.vision_tiles[i]) : request.cost(request.tokens[i]);
  };
  double total = 0.0;
  for (const std::uint32_t i : items.sequence) total += cost(i);
  if (!std::isfinite(total)) fail(STOWAGE_INVALID_ARGUMENT, "the cost of a step must be finite, got {}", total);
  if (total > 0.0) items.unit = std::ldexp(1.0, std::ilogb(total) + 1 - kTotalBits);

  items.work.resize(count);
  items.tokens.resize(count);
  if (vision) items.tiles.resize(count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    const std::uint32_t i = items.sequence[rank];
    items.work[rank] = std::llround(cost(i) / items.unit);
    items.total += items.work[rank];
    items.tokens[rank] = narrow<std::uint32_t>(round_up<std::uint64_t>(request.tokens[i], request.pad_segments_to));
    if (vision) items.tiles[rank] = request.vision_tiles[i];
  }
  return items;
}

}  // namespace stowage::plan
