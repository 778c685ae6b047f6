// SPDX-License-Identifier: Apache-2.0
// Both readers against an ordinary stream.
#include "read/reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "read/shards.hpp"
#include "support/world.hpp"

namespace stowage::read {
namespace {

using stowage::test::SharedFolder;
using stowage::test::World;

constexpr int kShards = 4;

// The same pieces on every rank: token-aligned, overlapping, some empty.
std::vector<Piece> random_pieces(const std::vector<ShardInfo>& shards, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Piece> pieces;
  for (int p = 0; p < count; ++p) {
    const auto s = static_cast<std::uint32_t>(random() % shards.size());
    const std::uint64_t width = source::token_bytes(shards[s].type);
    const std::uint64_t tokens = shards[s].bytes / width;
    const std::uint64_t begin = random() % (tokens + 1);
    const std::uint64_t end = std::min(tokens, begin + random() % 3'000);
    pieces.push_back({s, begin * width, end * width});
  }
  return pieces;
}

// The pieces that this rank read, compared with what the files hold.
void expect_pieces(const ReadPlan& plan, const std::vector<Piece>& pieces, const std::vector<ShardInfo>& shards,
                   int rank, ByteView buffer) {
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (plan.places[p].rank != rank) continue;
    const Bytes expected = test::plain_read(shards[pieces[p].shard], pieces[p]);
    const ByteView found = buffer.subspan(plan.places[p].offset, expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
        << "piece " << p << " of shard " << pieces[p].shard;
  }
}

// By number of pieces: none, fewer than ranks, about as many, many.
class ReadersOf : public testing::TestWithParam<int> {};

TEST_P(ReadersOf, BothFindWhatAPlainReaderFinds) {
  const World world;
  const SharedFolder folder(world);
  const auto shards = test::make_shards(world, folder, kShards);
  const auto cooperative = make_cooperative_reader(shards, 2);
  const auto collective = make_collective_reader(shards, world.get(), 2, {}, 10'000);
  for (std::uint64_t step = 0; step < 5; ++step) {
    const auto pieces = random_pieces(shards, GetParam(), step);
    const ReadPlan plan = plan_reads(pieces, shards, world.size(), 6'000);
    Bytes one(plan.bytes_of(world.rank()));
    Bytes other(one.size());

    cooperative->read(plan, world.rank(), one);
    collective->read(plan, world.rank(), other);

    EXPECT_EQ(one, other);
    expect_pieces(plan, pieces, shards, world.rank(), one);
  }
  EXPECT_EQ(cooperative->stats().bytes, collective->stats().bytes);
  EXPECT_EQ(cooperative->stats().extents, collective->stats().extents);
  EXPECT_EQ(cooperative->stats().blocks_checked, collective->stats().blocks_checked);
}

INSTANTIATE_TEST_SUITE_P(Pieces, ReadersOf, testing::Values(0, 1, 4, 100));

TEST(CollectiveReader, EveryTransferIsCollectiveOnRanksWithNothingToReadToo) {
  const World world;
  const SharedFolder folder(world);
  const auto shards = test::make_shards(world, folder, kShards);
  const auto reader = make_collective_reader(shards, world.get(), kShards);
  const std::vector<Piece> one_a_shard{{0, 0, 100}, {1, 40, 60}, {2, 400, 480}, {3, 40'000, 40'004}};
  const ReadPlan plan = plan_reads(one_a_shard, shards, world.size());
  Bytes out(plan.bytes_of(world.rank()));

  for (int repeat = 0; repeat < 3; ++repeat) reader->read(plan, world.rank(), out);

  EXPECT_EQ(reader->stats().collective_transfers, 3U * kShards);
  EXPECT_EQ(reader->stats().broken_transfers, 0U) << reader->stats().broken_cause;
}

TEST(CollectiveReader, OneRankWithMuchAndOthersWithNothingMakeTheSameTransfers) {
  const World world;
  const SharedFolder folder(world);
  const auto shards = test::make_shards(world, folder, 2);
  const auto reader = make_collective_reader(shards, world.get(), 2, {}, 4'096);
  for (std::uint32_t shard = 0; shard < 2; ++shard) {
    const std::vector<Piece> overlapping{{shard, 0, 30'000}, {shard, 20'000, 40'000}};  // cannot be divided
    const ReadPlan plan = plan_reads(overlapping, shards, world.size(), 4'096);
    Bytes out(plan.bytes_of(world.rank()));

    reader->read(plan, world.rank(), out);

    expect_pieces(plan, overlapping, shards, world.rank(), out);
  }
  EXPECT_EQ(reader->stats().collective_transfers, 20U);
  EXPECT_EQ(reader->stats().broken_transfers, 0U) << reader->stats().broken_cause;
}

TEST(CooperativeReader, HoldsNoMoreFilesOpenThanAllowed) {
  const World world;
  const SharedFolder folder(world);
  const auto shards = test::make_shards(world, folder, 20);
  const auto open_files = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = open_files();
  const auto reader = make_cooperative_reader(shards, 3);
  std::vector<Piece> pieces;
  for (std::uint32_t s = 0; s < shards.size(); ++s) pieces.push_back({s, 0, 4'000});
  const ReadPlan plan = plan_reads(pieces, shards, world.size());
  Bytes out(plan.bytes_of(world.rank()));

  reader->read(plan, world.rank(), out);

  EXPECT_LE(open_files(), before + 3);
}

}  // namespace
}  // namespace stowage::read
