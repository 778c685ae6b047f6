// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/division.hpp"

#include <algorithm>

#include "base/narrow.hpp"

namespace stowage::plan::baselines {

std::uint64_t padded(const Request& request, std::uint32_t sequence) {
  return round_up<std::uint64_t>(request.tokens[sequence], request.pad_segments_to);
}

std::uint32_t tiles(const Request& request, std::uint32_t sequence) {
  return request.vision_tiles.empty() ? 0 : request.vision_tiles[sequence];
}

bool fits(const Request& request, const Indices& sequences) {
  std::uint64_t all_tokens = 0;
  std::uint64_t all_tiles = 0;
  for (const std::uint32_t i : sequences) {
    all_tokens += padded(request, i);
    all_tiles += tiles(request, i);
  }
  return (request.cap == 0 || all_tokens <= request.cap) && (request.tile_cap == 0 || all_tiles <= request.tile_cap);
}

Packs next_fit(const Request& request, const Indices& sequences) {
  Packs packs;
  for (const std::uint32_t i : sequences) {
    if (!packs.empty()) {
      packs.back().push_back(i);
      if (fits(request, packs.back())) continue;
      packs.back().pop_back();
    }
    packs.push_back({i});
  }
  return packs;
}

void split_to(Packs& packs, std::size_t count) {
  while (packs.size() < count) {
    const auto largest = std::max_element(packs.begin(), packs.end(),
                                          [](const Indices& a, const Indices& b) { return a.size() < b.size(); });
    Indices half;
    if (largest != packs.end() && largest->size() > 1) {
      const auto middle = largest->begin() + static_cast<std::ptrdiff_t>(largest->size() / 2);
      half.assign(middle, largest->end());
      largest->erase(middle, largest->end());
    }
    packs.push_back(std::move(half));
  }
}

Plan to_plan(const Request& request, Division division) {
  std::size_t most = 0;
  for (const Packs& packs : division) most = std::max(most, packs.size());
  Plan plan;
  plan.micro_batch_begin.push_back(0);
  plan.replica_begin.push_back(0);
  for (Packs& packs : division) {
    if (request.equal_counts) split_to(packs, most);
    double cost = 0.0;
    for (const Indices& pack : packs) {
      for (const std::uint32_t i : pack) cost += request.cost(request.tokens[i], tiles(request, i));
      plan.order.insert(plan.order.end(), pack.begin(), pack.end());
      plan.micro_batch_begin.push_back(narrow<std::uint32_t>(plan.order.size()));
    }
    plan.replica_begin.push_back(plan.micro_batches());
    plan.replica_cost.push_back(cost);
  }
  return plan;
}

}  // namespace stowage::plan::baselines
