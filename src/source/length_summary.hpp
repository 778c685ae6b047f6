// SPDX-License-Identifier: Apache-2.0
// What the lengths of a shard's sequences look like. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stowage::source {

// Quantiles by nearest rank: the smallest length that at least this share of the sequences does not exceed.
struct LengthSummary {
  std::uint64_t count = 0;
  std::uint64_t zero = 0;  // sequences of length 0
  std::uint64_t min = 0;
  std::uint64_t median = 0;
  std::uint64_t p90 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;
  double mean = 0.0;
};

// The lengths from to to, both included.
struct LengthBin {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t count = 0;

  friend bool operator==(const LengthBin&, const LengthBin&) = default;
};

// The differences of neighbouring boundaries; `begin` as in Shard.
std::vector<std::uint64_t> lengths_of(std::span<const std::uint64_t> begin);

LengthSummary summarise(std::vector<std::uint64_t> lengths);

// Bins that grow with the length, from the shortest to the longest, empty ones between included: 0 by itself, then
// powers of two, each halved (64-95, 96-127, ...) if no more than 20 bins come of it.
std::vector<LengthBin> histogram(std::span<const std::uint64_t> lengths);

}  // namespace stowage::source
