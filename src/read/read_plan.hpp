// SPDX-License-Identifier: Apache-2.0
// Who reads what in one step, so that the job reads each byte once. Pure: every rank computes the same plan from the
// same pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/shard_info.hpp"

namespace stowage::read {

// Bytes [begin, end) of a shard's token array that somebody needs. May be empty, may overlap other pieces.
struct Piece {
  std::uint32_t shard = 0;  // index into the shards
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const Piece&, const Piece&) = default;
};

// Bytes of a shard's token array that one rank reads in one go; whole checksum blocks where the shard has checksums.
using Extent = Piece;

// Where a piece is found after reading.
struct Place {
  int rank = 0;              // that reads it; 0 for an empty piece
  std::uint64_t offset = 0;  // in that rank's buffer

  friend bool operator==(const Place&, const Place&) = default;
};

struct ReadPlan {
  std::vector<Extent> extents;  // of all ranks in rank order; ascending by (shard, begin), never overlapping
  std::vector<std::uint64_t> extent_begin;  // [ranks + 1] first extent of each rank
  std::vector<std::uint64_t> bytes;         // [ranks] length of the rank's buffer: its extents one after the other
  std::vector<Place> places;                // [pieces] a piece lies in one piece in one buffer

  int ranks() const noexcept { return static_cast<int>(bytes.size()); }
  std::span<const Extent> extents_of(int rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(extents).subspan(extent_begin[r], extent_begin[r + 1] - extent_begin[r]);
  }
  std::uint64_t bytes_of(int rank) const noexcept { return bytes[static_cast<std::size_t>(rank)]; }
};

inline constexpr std::uint64_t kMaxExtent = std::uint64_t{8} << 20;

// Sorts the pieces by (shard, begin), joins what overlaps or shares a checksum block, and cuts the sorted list into one
// run a rank, of as equal bytes as cuts between joined parts allow. Longer extents than max_extent are split (at block
// boundaries, so one block may be longer). O(n log n) for n pieces.
// Throws STOWAGE_INTERNAL_ERROR for a piece outside its shard, and unless ranks >= 1 and max_extent >= 1.
ReadPlan plan_reads(std::span<const Piece> pieces, std::span<const ShardInfo> shards, int ranks,
                    std::uint64_t max_extent = kMaxExtent);

}  // namespace stowage::read
