// SPDX-License-Identifier: Apache-2.0
// Stage two: the sequences of one replica to micro-batches. Looks at nothing but that replica, so it may run on any
// rank or thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/bins.hpp"

namespace stowage::plan {

// Micro-batches of one replica in compressed form.
struct Packing {
  std::vector<std::uint32_t> items;  // ascending within a micro-batch
  std::vector<std::uint32_t> begin;  // [micro-batches + 1]
  std::vector<Work> load;            // [micro-batches]

  std::size_t count() const noexcept { return load.size(); }
  std::span<const std::uint32_t> micro_batch(std::size_t m) const noexcept {
    return std::span(items).subspan(begin[m], begin[m + 1] - begin[m]);
  }
};

Packing to_packing(std::span<const Bin> bins);

// A greedy start may leave micro-batches empty where the count is ample: each takes an item from the fullest other one.
void fill_empty(const Items& items, Bins& bins);

struct StageTwoOptions {
  double tolerance = 0.0;   // the search ends when the slowest micro-batch is this near to its bound, relative
  std::uint64_t moves = 0;  // budget of the local search
};

// Divides `chosen` (ascending) into exactly `count` micro-batches of the shape, the slowest one as fast as the search
// gets it. None is empty unless there are fewer items than micro-batches. Nothing when no start fits.
std::optional<Packing> pack_micro_batches(const Items& items, std::span<const std::uint32_t> chosen,
                                          const BinShape& shape, std::uint32_t count, const StageTwoOptions& options);

// The least count that tokens and tiles allow.
std::uint32_t least_micro_batches(const Items& items, std::span<const std::uint32_t> chosen, const BinShape& shape);

}  // namespace stowage::plan
