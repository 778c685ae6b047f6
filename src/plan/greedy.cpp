// SPDX-License-Identifier: Apache-2.0
#include "plan/greedy.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "base/narrow.hpp"

namespace stowage::plan {

namespace {

using Indices = std::vector<std::uint32_t>;
using Packs = std::vector<Indices>;

struct Weights {
  std::vector<double> cost;
  std::vector<std::uint64_t> padded;
};

Weights weigh(const Request& request) {
  Weights weights;
  for (const std::uint32_t tokens : request.tokens) {
    weights.cost.push_back(request.cost(tokens));
    weights.padded.push_back(round_up<std::uint64_t>(tokens, request.pad_segments_to));
  }
  return weights;
}

Packs across_replicas(const Weights& weights, std::uint32_t replicas) {
  Indices by_cost(weights.cost.size());
  std::iota(by_cost.begin(), by_cost.end(), 0U);
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return weights.cost[a] > weights.cost[b]; });
  // Load, sequences held (so that costs of 0 spread too), replica.
  using Bin = std::tuple<double, std::size_t, std::uint32_t>;
  std::priority_queue<Bin, std::vector<Bin>, std::greater<>> least;
  for (std::uint32_t r = 0; r < replicas; ++r) least.emplace(0.0, 0, r);
  Packs result(replicas);
  for (const std::uint32_t i : by_cost) {
    const auto [load, held, r] = least.top();
    least.pop();
    result[r].push_back(i);
    least.emplace(load + weights.cost[i], held + 1, r);
  }
  return result;
}

// Into exactly `count` micro-batches, each sequence to the cheapest one with room; nothing when one finds no room.
std::optional<Packs> into_cheapest(const Indices& sequences, const Weights& weights, std::size_t count,
                                   std::uint64_t cap) {
  Packs packs(count);
  std::vector<double> load(count, 0.0);
  std::vector<std::uint64_t> used(count, 0);
  for (const std::uint32_t i : sequences) {
    std::size_t best = count;
    for (std::size_t m = 0; m < count; ++m) {
      if (used[m] + weights.padded[i] > cap) continue;
      if (best == count || std::pair(load[m], packs[m].size()) < std::pair(load[best], packs[best].size())) best = m;
    }
    if (best == count) return std::nullopt;
    packs[best].push_back(i);
    load[best] += weights.cost[i];
    used[best] += weights.padded[i];
  }
  return packs;
}

// The fewest micro-batches from `least` up that the cheapest-first rule fills.
Packs into_fewest(const Indices& sequences, const Weights& weights, std::size_t least, std::uint64_t cap) {
  std::uint64_t total = 0;
  for (const std::uint32_t i : sequences) total += weights.padded[i];
  std::size_t count = std::max<std::size_t>(least, div_ceil(total, cap));
  if (!sequences.empty()) count = std::max<std::size_t>(count, 1);
  while (true) {  // ends: with a micro-batch for each sequence everything has room
    if (auto packs = into_cheapest(sequences, weights, count, cap)) return std::move(*packs);
    ++count;
  }
}

}  // namespace

Plan greedy_plan(const Request& request) {
  const Weights weights = weigh(request);
  const Packs replicas = across_replicas(weights, request.replicas);
  std::vector<Packs> packed;
  std::size_t most = 0;
  for (const Indices& sequences : replicas) {
    packed.push_back(into_fewest(sequences, weights, 0, request.cap));
    most = std::max(most, packed.back().size());
  }
  while (request.equal_counts) {  // a greedy packing may miss the larger count and need one more
    const std::size_t wanted = most;
    for (std::uint32_t r = 0; r < request.replicas; ++r) {
      if (packed[r].size() != wanted) packed[r] = into_fewest(replicas[r], weights, wanted, request.cap);
      most = std::max(most, packed[r].size());
    }
    if (most == wanted) break;
  }

  Plan plan;
  plan.micro_batch_begin.push_back(0);
  plan.replica_begin.push_back(0);
  for (Packs& packs : packed) {
    double cost = 0.0;
    for (Indices& pack : packs) {
      std::sort(pack.begin(), pack.end());
      for (const std::uint32_t i : pack) cost += weights.cost[i];
      plan.order.insert(plan.order.end(), pack.begin(), pack.end());
      plan.micro_batch_begin.push_back(narrow<std::uint32_t>(plan.order.size()));
    }
    plan.replica_begin.push_back(plan.micro_batches());
    plan.replica_cost.push_back(cost);
  }
  return plan;
}

}  // namespace stowage::plan
