// SPDX-License-Identifier: Apache-2.0
// What items are divided into: replicas in stage one, micro-batches in stage two.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/items.hpp"

namespace stowage::plan {

// What a bin may hold. Bins of one division may differ.
struct BinShape {
  double speed = 1.0;                                                 // work a unit of time, relative
  std::uint64_t tokens = std::numeric_limits<std::uint64_t>::max();   // padded tokens it holds
  std::uint64_t tiles = std::numeric_limits<std::uint64_t>::max();    // vision tiles it holds
  std::uint32_t longest = std::numeric_limits<std::uint32_t>::max();  // padded tokens of its longest sequence

  bool operator==(const BinShape&) const = default;
};

struct Bin {
  BinShape shape;
  std::vector<std::uint32_t> items;
  Work load = 0;
  std::uint64_t tokens = 0;
  std::uint64_t tiles = 0;

  double time() const noexcept { return static_cast<double>(load) / shape.speed; }
  double time_with(Work more) const noexcept { return static_cast<double>(load + more) / shape.speed; }

  bool fits(const Items& all, std::uint32_t item) const noexcept {
    return tokens + all.tokens[item] <= shape.tokens && tiles + all.tiles_of(item) <= shape.tiles &&
           all.tokens[item] <= shape.longest;
  }
  void add(const Items& all, std::uint32_t item) {
    items.push_back(item);
    load += all.work[item];
    tokens += all.tokens[item];
    tiles += all.tiles_of(item);
  }
  void clear() noexcept {
    items.clear();
    load = 0;
    tokens = 0;
    tiles = 0;
  }
};

using Bins = std::vector<Bin>;

double makespan(const Bins& bins) noexcept;

}  // namespace stowage::plan
