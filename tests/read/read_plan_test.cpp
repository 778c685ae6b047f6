// SPDX-License-Identifier: Apache-2.0
#include "read/read_plan.hpp"

#include <gmock/gmock.h>

#include "support/errors.hpp"

namespace stowage::read {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ShardInfo shard_of(std::uint64_t bytes, std::uint32_t block_bytes = 0) {
  ShardInfo shard;
  shard.file = "some.bin";
  shard.bytes = bytes;
  shard.block_bytes = block_bytes;
  return shard;
}

std::vector<Extent> extents_of(const ReadPlan& plan, int rank) {
  const auto extents = plan.extents_of(rank);
  return {extents.begin(), extents.end()};
}

TEST(ReadPlan, PiecesThatTouchBecomeOneExtent) {
  const std::vector<ShardInfo> shards{shard_of(100)};
  const std::vector<Piece> pieces{{0, 30, 50}, {0, 10, 30}};

  const ReadPlan plan = plan_reads(pieces, shards, 1);

  EXPECT_THAT(extents_of(plan, 0), ElementsAre(Extent{0, 10, 50}));
  EXPECT_THAT(plan.places, ElementsAre(Place{0, 20}, Place{0, 0}));
}

TEST(ReadPlan, TheSameBytesAreReadOnceForAllWhoAsk) {
  const std::vector<ShardInfo> shards{shard_of(100)};
  const std::vector<Piece> pieces{{0, 10, 40}, {0, 20, 30}, {0, 10, 40}};

  const ReadPlan plan = plan_reads(pieces, shards, 3);

  EXPECT_THAT(plan.bytes, ElementsAre(0, 30, 0));
  EXPECT_THAT(plan.places, ElementsAre(Place{1, 0}, Place{1, 10}, Place{1, 0}));
}

TEST(ReadPlan, WorkIsCutIntoRunsOfEqualBytes) {
  const std::vector<ShardInfo> shards{shard_of(100), shard_of(100)};
  const std::vector<Piece> pieces{{1, 0, 10}, {0, 20, 30}, {0, 0, 10}, {1, 50, 60}};

  const ReadPlan plan = plan_reads(pieces, shards, 2);

  EXPECT_THAT(extents_of(plan, 0), ElementsAre(Extent{0, 0, 10}, Extent{0, 20, 30}));
  EXPECT_THAT(extents_of(plan, 1), ElementsAre(Extent{1, 0, 10}, Extent{1, 50, 60}));
  EXPECT_THAT(plan.places, ElementsAre(Place{1, 0}, Place{0, 10}, Place{0, 0}, Place{1, 10}));
}

TEST(ReadPlan, ChecksumBlocksAreReadWholeAndByOneRank) {
  const std::vector<ShardInfo> shards{shard_of(90, 20)};
  const std::vector<Piece> pieces{{0, 5, 10}, {0, 12, 25}, {0, 85, 90}};

  const ReadPlan plan = plan_reads(pieces, shards, 2);

  EXPECT_THAT(extents_of(plan, 0), ElementsAre(Extent{0, 0, 40}));
  EXPECT_THAT(extents_of(plan, 1), ElementsAre(Extent{0, 80, 90})) << "the last block is short";
  EXPECT_THAT(plan.places, ElementsAre(Place{0, 5}, Place{0, 12}, Place{1, 5}));
}

TEST(ReadPlan, LongExtentsAreSplitAtBlockBoundaries) {
  const std::vector<ShardInfo> shards{shard_of(100, 20), shard_of(100)};
  const std::vector<Piece> pieces{{0, 0, 100}, {1, 5, 75}};

  const ReadPlan plan = plan_reads(pieces, shards, 1, 50);

  EXPECT_THAT(extents_of(plan, 0), ElementsAre(Extent{0, 0, 40}, Extent{0, 40, 80}, Extent{0, 80, 100},
                                               Extent{1, 5, 55}, Extent{1, 55, 75}));
}

TEST(ReadPlan, EmptyPiecesAndRanksWithoutWorkAreFine) {
  const std::vector<ShardInfo> shards{shard_of(100)};
  const std::vector<Piece> pieces{{0, 100, 100}, {0, 0, 0}, {0, 3, 4}};

  const ReadPlan plan = plan_reads(pieces, shards, 5);
  const ReadPlan nothing = plan_reads({}, {}, 5);

  EXPECT_THAT(plan.extents, ElementsAre(Extent{0, 3, 4}));
  EXPECT_EQ(plan.places[0], Place{});
  EXPECT_EQ(plan.extent_begin.size(), 6U);
  EXPECT_THAT(nothing.extents, IsEmpty());
  EXPECT_THAT(nothing.bytes, ElementsAre(0, 0, 0, 0, 0));
}

TEST(ReadPlan, OffsetsBeyondFourGibibytesAreKept) {
  const std::uint64_t far = std::uint64_t{5} << 40;
  const std::vector<ShardInfo> shards{shard_of(far + 10)};
  const std::vector<Piece> pieces{{0, far, far + 10}, {0, 0, 10}};

  const ReadPlan plan = plan_reads(pieces, shards, 2);

  EXPECT_THAT(plan.extents, ElementsAre(Extent{0, 0, 10}, Extent{0, far, far + 10}));
  EXPECT_THAT(plan.places, ElementsAre(Place{1, 0}, Place{0, 0}));
}

TEST(ReadPlan, APieceOutsideItsShardIsRefused) {
  const std::vector<ShardInfo> shards{shard_of(100)};
  const std::vector<Piece> beyond{{0, 90, 101}};
  const std::vector<Piece> no_shard{{1, 0, 1}};

  EXPECT_ERROR(plan_reads(beyond, shards, 1), STOWAGE_INTERNAL_ERROR, "bytes 90 to 101 of some.bin, which holds 100");
  EXPECT_ERROR(plan_reads(no_shard, shards, 1), STOWAGE_INTERNAL_ERROR, "shard 1 of 1");
}

}  // namespace
}  // namespace stowage::read
