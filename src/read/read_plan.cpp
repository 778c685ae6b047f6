// SPDX-License-Identifier: Apache-2.0
#include "read/read_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/assert.hpp"
#include "base/narrow.hpp"

namespace stowage::read {
namespace {

void require_sound(std::span<const Piece> pieces, std::span<const ShardInfo> shards, int ranks,
                   std::uint64_t max_extent) {
  STOWAGE_ASSERT(kAssertLight, ranks >= 1 && max_extent >= 1, "{} ranks, extents of {} bytes", ranks, max_extent);
  for (const Piece& piece : pieces) {
    STOWAGE_ASSERT(kAssertLight, piece.shard < shards.size(), "shard {} of {}", piece.shard, shards.size());
    STOWAGE_ASSERT(kAssertLight, piece.begin <= piece.end && piece.end <= shards[piece.shard].bytes,
                   "bytes {} to {} of {}, which holds {}", piece.begin, piece.end, shards[piece.shard].file,
                   shards[piece.shard].bytes);
  }
}

// The checksum blocks that a piece touches, or the piece itself.
Extent whole_blocks(const Piece& piece, const ShardInfo& shard) {
  if (shard.block_bytes == 0) return piece;
  const std::uint64_t block = shard.block_bytes;
  return {piece.shard, piece.begin / block * block, std::min(shard.bytes, div_ceil(piece.end, block) * block)};
}

// The non-empty pieces in reading order.
std::vector<std::size_t> reading_order(std::span<const Piece> pieces) {
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].begin < pieces[p].end) order.push_back(p);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(pieces[a].shard, pieces[a].begin, a) < std::tie(pieces[b].shard, pieces[b].begin, b);
  });
  return order;
}

// A run of pieces that must be read by one rank because each shares bytes with one before it.
struct Joined {
  Extent extent;
  std::size_t pieces_end = 0;  // in reading order; begins where the one before ends
  std::uint64_t bytes() const noexcept { return extent.end - extent.begin; }
};

std::vector<Joined> join(std::span<const Piece> pieces, std::span<const ShardInfo> shards,
                         std::span<const std::size_t> order) {
  std::vector<Joined> all;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Piece& piece = pieces[order[i]];
    const Extent extent = whole_blocks(piece, shards[piece.shard]);
    const bool shares = !all.empty() && all.back().extent.shard == extent.shard && extent.begin < all.back().extent.end;
    if (shares) {
      all.back().extent.end = std::max(all.back().extent.end, extent.end);
      all.back().pieces_end = i + 1;
    } else {
      all.push_back({extent, i + 1});
    }
  }
  return all;
}

// The rank in whose equal share of `total` bytes the middle of [begin, begin + bytes) falls.
int rank_of(std::uint64_t begin, std::uint64_t bytes, std::uint64_t total, int ranks) {
  __extension__ using Wide = unsigned __int128;
  const Wide twice_middle = Wide{begin} * 2 + bytes;
  return static_cast<int>(twice_middle * static_cast<unsigned>(ranks) / (Wide{total} * 2));
}

// Fills a plan from joined extents that come in reading order, rank after rank.
class Builder {
 public:
  Builder(std::span<const ShardInfo> shards, std::size_t pieces, int ranks, std::uint64_t max_extent)
      : shards_(shards), max_extent_(max_extent) {
    plan_.bytes.assign(static_cast<std::size_t>(ranks), 0);
    plan_.places.resize(pieces);
    plan_.extent_begin.push_back(0);
  }

  // All that is added from now on is read by `rank`; ranks come in ascending order.
  void go_to(int rank) {
    while (rank_ < rank) end_rank();
  }

  // Returns where the extent begins in the present rank's buffer.
  Place add(const Extent& extent) {
    if (open_.shard != extent.shard || open_.end != extent.begin) {
      close_extent();
      open_ = extent;
    }
    open_.end = extent.end;
    std::uint64_t& buffer = plan_.bytes[static_cast<std::size_t>(rank_)];
    const Place place{rank_, buffer};
    buffer += extent.end - extent.begin;
    return place;
  }

  void place(std::size_t piece, const Place& place) { plan_.places[piece] = place; }

  ReadPlan finish() {
    go_to(plan_.ranks());
    return std::move(plan_);
  }

 private:
  void end_rank() {
    close_extent();
    plan_.extent_begin.push_back(plan_.extents.size());
    ++rank_;
  }

  // Splits at block boundaries, so that each part can be checked alone.
  void close_extent() {
    const std::uint64_t block = shards_.empty() ? 1 : std::max<std::uint64_t>(1, shards_[open_.shard].block_bytes);
    const std::uint64_t longest = std::max(block, max_extent_ / block * block);
    while (open_.begin < open_.end) {
      const std::uint64_t end = open_.begin + std::min(longest, open_.end - open_.begin);
      plan_.extents.push_back({open_.shard, open_.begin, end});
      open_.begin = end;
    }
  }

  std::span<const ShardInfo> shards_;
  std::uint64_t max_extent_;
  ReadPlan plan_;
  int rank_ = 0;
  Extent open_;  // grows while what is added touches it
};

}  // namespace

ReadPlan plan_reads(std::span<const Piece> pieces, std::span<const ShardInfo> shards, int ranks,
                    std::uint64_t max_extent) {
  require_sound(pieces, shards, ranks, max_extent);
  const auto order = reading_order(pieces);
  const auto all = join(pieces, shards, order);
  std::uint64_t total = 0;
  for (const Joined& joined : all) total = checked_add(total, joined.bytes(), "bytes of a step");

  Builder builder(shards, pieces.size(), ranks, max_extent);
  std::uint64_t before = 0;
  std::size_t next = 0;
  for (const Joined& joined : all) {
    builder.go_to(rank_of(before, joined.bytes(), total, ranks));
    const Place start = builder.add(joined.extent);
    for (; next < joined.pieces_end; ++next) {
      const std::size_t piece = order[next];
      builder.place(piece, {start.rank, start.offset + (pieces[piece].begin - joined.extent.begin)});
    }
    before += joined.bytes();
  }
  return builder.finish();
}

}  // namespace stowage::read
