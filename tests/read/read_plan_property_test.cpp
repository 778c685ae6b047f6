// SPDX-License-Identifier: Apache-2.0
// Read plans of random pieces against what can be said byte by byte.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "read/read_plan.hpp"

namespace stowage::read {
namespace {

struct Case {
  std::vector<ShardInfo> shards;
  std::vector<Piece> pieces;
  int ranks = 1;
  std::uint64_t max_extent = 1;
};

Case random_case() {
  Case c;
  c.ranks = *rc::gen::inRange(1, 9);
  c.max_extent = *rc::gen::element<std::uint64_t>(1, 7, 64, kMaxExtent);
  const int shards = *rc::gen::inRange(1, 5);
  for (int s = 0; s < shards; ++s) {
    ShardInfo shard;
    shard.bytes = *rc::gen::inRange<std::uint64_t>(0, 300);
    shard.block_bytes = *rc::gen::element<std::uint32_t>(0, 0, 1, 16, 50);
    c.shards.push_back(shard);
  }
  const int pieces = *rc::gen::inRange(0, 40);
  for (int p = 0; p < pieces; ++p) {
    const auto shard = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(shards));
    const std::uint64_t bytes = c.shards[shard].bytes;
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, bytes + 1);
    const auto end = *rc::gen::inRange<std::uint64_t>(begin, std::min(bytes, begin + 60) + 1);
    c.pieces.push_back({shard, begin, end});
  }
  return c;
}

using Byte = std::pair<std::uint32_t, std::uint64_t>;  // shard, place in its array

// Where each byte is found, by rank and place in the buffer; fails if a byte is read twice.
std::map<Byte, Place> bytes_of(const ReadPlan& plan) {
  std::map<Byte, Place> where;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    std::uint64_t offset = 0;
    for (const Extent& extent : plan.extents_of(rank)) {
      RC_ASSERT(extent.begin < extent.end);
      for (std::uint64_t b = extent.begin; b < extent.end; ++b) {
        RC_ASSERT((where.emplace(Byte{extent.shard, b}, Place{rank, offset++}).second));
      }
    }
    RC_ASSERT(offset == plan.bytes_of(rank));
  }
  return where;
}

RC_GTEST_PROP(ReadPlanProperty, EveryByteOfEveryPieceLiesWhereThePlanSays, ()) {
  const Case c = random_case();

  const ReadPlan plan = plan_reads(c.pieces, c.shards, c.ranks, c.max_extent);

  const auto where = bytes_of(plan);
  for (std::size_t p = 0; p < c.pieces.size(); ++p) {
    const Piece& piece = c.pieces[p];
    for (std::uint64_t b = piece.begin; b < piece.end; ++b) {
      const auto found = where.find({piece.shard, b});
      RC_ASSERT(found != where.end());
      RC_ASSERT(found->second == (Place{plan.places[p].rank, plan.places[p].offset + (b - piece.begin)}));
    }
  }
}

RC_GTEST_PROP(ReadPlanProperty, NothingIsReadThatNoPieceOrItsBlockNeeds, ()) {
  const Case c = random_case();
  std::map<Byte, bool> needed;
  for (const Piece& piece : c.pieces) {
    const ShardInfo& shard = c.shards[piece.shard];
    const std::uint64_t block = std::max<std::uint64_t>(1, shard.block_bytes);
    for (std::uint64_t b = piece.begin; b < piece.end; ++b) {
      const std::uint64_t first = b / block * block;
      for (std::uint64_t n = first; n < std::min(first + block, shard.bytes); ++n) needed[{piece.shard, n}] = true;
    }
  }

  const ReadPlan plan = plan_reads(c.pieces, c.shards, c.ranks, c.max_extent);

  RC_ASSERT(bytes_of(plan).size() == needed.size());
}

RC_GTEST_PROP(ReadPlanProperty, ExtentsAreInFileOrderBoundedAndWholeBlocks, ()) {
  const Case c = random_case();

  const ReadPlan plan = plan_reads(c.pieces, c.shards, c.ranks, c.max_extent);

  for (std::size_t e = 0; e < plan.extents.size(); ++e) {
    const Extent& extent = plan.extents[e];
    const ShardInfo& shard = c.shards[extent.shard];
    const std::uint64_t block = std::max<std::uint64_t>(1, shard.block_bytes);
    RC_ASSERT(extent.end - extent.begin <= std::max(block, c.max_extent));
    RC_ASSERT(extent.begin % block == 0 || shard.block_bytes == 0);
    RC_ASSERT(extent.end % block == 0 || shard.block_bytes == 0 || extent.end == shard.bytes);
    if (e == 0) continue;
    const Extent& before = plan.extents[e - 1];
    RC_ASSERT(before.shard < extent.shard || (before.shard == extent.shard && before.end <= extent.begin));
  }
}

// A cut can only be made between joined parts, so a rank is off its equal share by no more than the longest of them;
// pieces of at most 60 bytes that are disjoint make the bound easy to state.
RC_GTEST_PROP(ReadPlanProperty, RanksReadEqualBytesUpToOnePart, ()) {
  const int ranks = *rc::gen::inRange(1, 9);
  const int pieces = *rc::gen::inRange(1, 60);
  std::vector<ShardInfo> shards(1);
  shards[0].bytes = 6000;
  std::vector<Piece> disjoint;
  std::uint64_t total = 0;
  for (int p = 0; p < pieces; ++p) {
    const auto begin = static_cast<std::uint64_t>(p) * 100;
    const auto length = *rc::gen::inRange<std::uint64_t>(1, 61);
    disjoint.push_back({0, begin, begin + length});
    total += length;
  }

  const ReadPlan plan = plan_reads(disjoint, shards, ranks);

  for (int rank = 0; rank < ranks; ++rank) {
    RC_ASSERT(plan.bytes_of(rank) * static_cast<std::uint64_t>(ranks) <=
              total + 60 * static_cast<std::uint64_t>(ranks));
  }
}

RC_GTEST_PROP(ReadPlanProperty, TheOrderInWhichPiecesAreGivenDoesNotMatter, ()) {
  Case c = random_case();
  const ReadPlan plan = plan_reads(c.pieces, c.shards, c.ranks, c.max_extent);

  std::ranges::reverse(c.pieces);
  const ReadPlan reversed = plan_reads(c.pieces, c.shards, c.ranks, c.max_extent);

  RC_ASSERT(reversed.extents == plan.extents);
  RC_ASSERT(reversed.bytes == plan.bytes);
  RC_ASSERT(std::equal(plan.places.begin(), plan.places.end(), reversed.places.rbegin()));
}

}  // namespace
}  // namespace stowage::read
