// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/narrow.hpp"
#include "plan/baselines/baselines.hpp"
#include "plan/baselines/division.hpp"

namespace stowage::plan::baselines {

namespace {

Indices drawn_order(const Request& request) {
  Indices order(request.tokens.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace

Plan as_drawn(const Request& request) {
  const Indices order = drawn_order(request);
  Division division(request.replicas);
  for (std::size_t r = 0; r < division.size(); ++r) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(order.size() * r / division.size());
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(order.size() * (r + 1) / division.size());
    division[r] = next_fit(request, Indices(begin, end));
  }
  return to_plan(request, std::move(division));
}

Plan length_grouped(const Request& request) {
  Indices order = drawn_order(request);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return request.tokens[a] > request.tokens[b]; });
  std::vector<Indices> dealt(request.replicas);
  for (std::size_t k = 0; k < order.size(); ++k) dealt[k % dealt.size()].push_back(order[k]);
  Division division;
  for (const Indices& sequences : dealt) division.push_back(next_fit(request, sequences));
  return to_plan(request, std::move(division));
}

Plan first_fit(const Request& request) {
  const Indices order = drawn_order(request);
  std::uint64_t total = 0;
  for (const std::uint32_t i : order) total += padded(request, i);
  const std::uint64_t cap =
      request.cap != 0 ? request.cap : std::max<std::uint64_t>(1, div_ceil<std::uint64_t>(total, request.replicas));
  Packs packs;
  std::vector<std::uint64_t> used;
  std::vector<std::uint64_t> used_tiles;
  std::size_t first_open = 0;  // packs before it are full
  for (const std::uint32_t i : order) {
    std::size_t p = first_open;
    const auto has_room = [&](std::size_t k) {
      return used[k] + padded(request, i) <= cap &&
             (request.tile_cap == 0 || used_tiles[k] + tiles(request, i) <= request.tile_cap);
    };
    while (p < packs.size() && !has_room(p)) ++p;
    if (p == packs.size()) {
      packs.emplace_back();
      used.push_back(0);
      used_tiles.push_back(0);
    }
    packs[p].push_back(i);
    used[p] += padded(request, i);
    used_tiles[p] += tiles(request, i);
    while (first_open < packs.size() && used[first_open] == cap) ++first_open;
  }
  if (request.equal_counts) split_to(packs, round_up<std::size_t>(packs.size(), request.replicas));
  Division division(request.replicas);
  for (std::size_t p = 0; p < packs.size(); ++p) {
    Packs& own = division[p % division.size()];
    if (request.cap == 0 && !own.empty()) {
      own.front().insert(own.front().end(), packs[p].begin(), packs[p].end());
    } else {
      own.push_back(std::move(packs[p]));
    }
  }
  return to_plan(request, std::move(division));
}

}  // namespace stowage::plan::baselines
