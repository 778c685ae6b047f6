// SPDX-License-Identifier: Apache-2.0
// How many samples with how many vision tiles each micro-batch takes, so that micro-batches of one iteration have the
// same number of tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stowage::plan {

// A class is the samples with one number of tiles. Micro-batches are numbered iteration by iteration.
class TileSlots {
 public:
  // `tiles` of each sample. The slots hold exactly the samples there are. Of the ways to give iterations their tiles
  // near the even share, the one with the fewest tiles missing (at most kTried are looked at).
  TileSlots(std::span<const std::uint32_t> tiles, std::size_t replicas, std::size_t iterations);

  std::size_t classes() const noexcept { return tiles_of_class_.size(); }
  std::size_t class_of(std::uint32_t tiles) const;
  std::int64_t open(std::size_t micro_batch, std::size_t of_class) const noexcept {
    return slots_[micro_batch * classes() + of_class];
  }
  void fill(std::size_t micro_batch, std::size_t of_class) noexcept { --slots_[micro_batch * classes() + of_class]; }

  static constexpr std::size_t kTried = 256;

 private:
  // Of one way: what it puts where, and how far micro-batches are from their iteration's tiles, all in all.
  struct Filling {
    std::vector<std::int64_t> slots;  // [micro-batches][classes]
    std::int64_t off = 0;
  };
  Filling fill_iterations(std::span<const std::int64_t> targets, std::size_t replicas) const;
  std::int64_t choose(std::vector<std::int64_t>& left, std::int64_t target, double share,
                      std::span<std::int64_t> slots) const;

  std::vector<std::uint32_t> tiles_of_class_;  // ascending
  std::vector<std::int64_t> samples_;          // [classes]
  std::vector<std::int64_t> slots_;            // [micro-batches][classes]
};

}  // namespace stowage::plan
