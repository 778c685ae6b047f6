// SPDX-License-Identifier: Apache-2.0
#include "plan/context_parallel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/narrow.hpp"

namespace stowage::plan {

std::uint32_t split_degree(std::uint32_t tokens, std::uint32_t tokens_per_rank, Degrees degrees) {
  if (tokens_per_rank == 0) fail(STOWAGE_INVALID_ARGUMENT, "tokens_per_rank must be at least 1, got 0");
  const std::uint32_t least = std::max<std::uint32_t>(1, div_ceil(tokens, tokens_per_rank));
  return degrees == Degrees::any ? least : std::bit_ceil(least);
}

std::vector<std::uint32_t> balanced_degrees(const Request& request, Degrees degrees) {
  double work = 0.0;
  for (const std::uint32_t tokens : request.tokens) work += request.cost(tokens);
  const double share = work / request.replicas;
  const std::uint32_t most = degrees == Degrees::any ? request.replicas : std::bit_floor(request.replicas);
  std::vector<std::uint32_t> result;
  for (const std::uint32_t tokens : request.tokens) {
    const double parts = share > 0.0 ? std::ceil(request.cost(tokens) / share) : 1.0;
    const auto least = static_cast<std::uint32_t>(std::clamp<double>(parts, 1.0, most));
    result.push_back(std::min(most, degrees == Degrees::any ? least : std::bit_ceil(least)));
  }
  return result;
}

SplitAssignment assign_split(const Request& request, std::span<const std::uint32_t> degrees) {
  SplitAssignment result;
  result.first_part.push_back(0);
  for (const std::uint32_t degree : degrees) {
    if (degree == 0 || degree > request.replicas) {
      fail(STOWAGE_INVALID_ARGUMENT, "a sequence can be split over 1 to {} replicas, got {}", request.replicas, degree);
    }
    result.first_part.push_back(checked_add(result.first_part.back(), degree, "parts of a step"));
  }
  result.replicas.resize(result.first_part.back());
  result.replica_cost.assign(request.replicas, 0.0);
  const auto part_cost = [&](std::uint32_t i) { return request.cost(request.tokens[i]) / degrees[i]; };
  std::vector<std::uint32_t> costliest_first(request.tokens.size());
  std::iota(costliest_first.begin(), costliest_first.end(), 0U);
  std::stable_sort(costliest_first.begin(), costliest_first.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return part_cost(a) > part_cost(b); });
  std::vector<std::uint32_t> by_load(request.replicas);
  std::iota(by_load.begin(), by_load.end(), 0U);
  const auto lighter = [&](std::uint32_t a, std::uint32_t b) {
    return result.replica_cost[a] != result.replica_cost[b] ? result.replica_cost[a] < result.replica_cost[b] : a < b;
  };
  for (const std::uint32_t i : costliest_first) {
    const auto taken = by_load.begin() + degrees[i];
    std::copy(by_load.begin(), taken, result.replicas.begin() + result.first_part[i]);
    for (auto replica = by_load.begin(); replica != taken; ++replica) result.replica_cost[*replica] += part_cost(i);
    // The rest is still in order, and so are those taken: each got the same.
    std::inplace_merge(by_load.begin(), taken, by_load.end(), lighter);
  }
  return result;
}

}  // namespace stowage::plan
