// SPDX-License-Identifier: Apache-2.0
// What goes wrong on one rank is told there, and never leaves the others inside a collective call.
#include <gtest/gtest.h>

#include <filesystem>

#include "read/reader.hpp"
#include "read/shards.hpp"
#include "support/errors.hpp"
#include "support/world.hpp"

namespace stowage::read {
namespace {

using stowage::test::SharedFolder;
using stowage::test::World;

enum class Way { cooperative, collective };

class ReaderFailure : public testing::TestWithParam<Way> {
 protected:
  std::unique_ptr<Reader> make_reader(const std::vector<ShardInfo>& shards) const {
    return GetParam() == Way::cooperative ? make_cooperative_reader(shards, 4)
                                          : make_collective_reader(shards, world.get(), 4);
  }

  // Reads one piece of a shard: the only rank to do so is the one in the middle.
  int read_piece(Reader& reader, const std::vector<ShardInfo>& shards, const Piece& piece) {
    const std::vector<Piece> pieces{piece};
    const ReadPlan plan = plan_reads(pieces, shards, world.size());
    Bytes out(plan.bytes_of(world.rank()));
    reader.read(plan, world.rank(), out);
    return plan.places[0].rank;
  }

  const World world;
  const SharedFolder folder{world};
  const int reads = world.size() / 2;  // rank of the only piece of a plan
};

TEST_P(ReaderFailure, AFlippedBitIsNamedByTheRankThatReadIt) {
  const auto shards = test::make_shards(world, folder, 2);
  const ShardInfo& shard = shards[1];
  if (world.rank() == 0) test::damage(shard.file, shard.base + 4'096 + 17);
  world.barrier();
  const auto reader = make_reader(shards);

  if (world.rank() == reads) {
    EXPECT_ERROR(
        read_piece(*reader, shards, {1, 0, 10'000}), STOWAGE_DATA_ERROR,
        fmt::format("{}: block 1 (4096 bytes at offset {}): expected checksum ", shard.file, shard.base + 4'096));
  } else {
    EXPECT_NO_THROW(read_piece(*reader, shards, {1, 0, 10'000}));
  }

  EXPECT_EQ(read_piece(*reader, shards, {1, 8'192, 8'200}), reads) << "another block of the file is sound";
}

TEST_P(ReaderFailure, AFileThatBecameShorterIsNamed) {
  const auto shards = test::make_shards(world, folder, 2);
  if (world.rank() == 0) std::filesystem::resize_file(shards[0].file, 5'000);
  world.barrier();
  const auto reader = make_reader(shards);

  if (world.rank() == reads) {
    EXPECT_ERROR(read_piece(*reader, shards, {0, 4'000, 6'000}), STOWAGE_DATA_ERROR, shards[0].file);
  }
  if (world.rank() != reads && GetParam() == Way::cooperative) read_piece(*reader, shards, {0, 4'000, 6'000});
  if (world.rank() != reads && GetParam() == Way::collective) {
    EXPECT_ERROR(read_piece(*reader, shards, {0, 4'000, 6'000}), STOWAGE_DATA_ERROR, "expected tokens up to byte");
  }

  EXPECT_EQ(read_piece(*reader, shards, {1, 0, 100}), reads) << "other files can still be read";
}

TEST_P(ReaderFailure, AFileThatOneRankDoesNotSeeIsToldThereAndHangsNobody) {
  const auto sound = test::make_shards(world, folder, 2);
  for (const std::uint32_t shard : {0U, 1U}) {
    auto shards = sound;
    if (world.rank() == reads) shards[shard].file += ".missing";
    const auto reader = make_reader(shards);

    if (world.rank() == reads) {
      EXPECT_ERROR(read_piece(*reader, shards, {shard, 0, 100}), STOWAGE_IO_ERROR, shards[shard].file);
    } else {
      EXPECT_NO_THROW(read_piece(*reader, shards, {shard, 0, 100}));
    }

    EXPECT_EQ(read_piece(*reader, shards, {1 - shard, 0, 100}), reads) << "other files can still be read";
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ReaderFailure, testing::Values(Way::cooperative, Way::collective),
                         [](const auto& way) { return way.param == Way::cooperative ? "Cooperative" : "Collective"; });

TEST(CollectiveReader, WhileARankIsAwaitedTheIdleHookCanEndTheWait) {
  const World world;
  if (world.size() == 1) GTEST_SKIP() << "nobody to wait for";
  const SharedFolder folder(world);
  const auto shards = test::make_shards(world, folder, 1);
  bool awaits_rank_0 = false;
  int looks = 0;
  const auto give_up = [&] {
    if (awaits_rank_0 && ++looks == 20) fail(STOWAGE_PEER_LOST, "rank 0 failed elsewhere");
  };
  const auto reader = make_collective_reader(shards, world.get(), 1, give_up);
  const std::vector<Piece> pieces{{0, 0, 100}};
  const ReadPlan plan = plan_reads(pieces, shards, world.size());
  Bytes out(plan.bytes_of(world.rank()));
  reader->read(plan, world.rank(), out);  // the file is open from here on

  awaits_rank_0 = true;
  if (world.rank() != 0) EXPECT_ERROR(reader->read(plan, world.rank(), out), STOWAGE_PEER_LOST, "failed elsewhere");

  world.barrier();
}

TEST(Readers, AtLeastOneFileMustBeAllowedOpen) {
  const World world;

  EXPECT_ERROR(make_cooperative_reader({}, 0), STOWAGE_INVALID_ARGUMENT, "must be >= 1, got 0");
  EXPECT_ERROR(make_collective_reader({}, world.get(), 0), STOWAGE_INVALID_ARGUMENT, "must be >= 1, got 0");
}

}  // namespace
}  // namespace stowage::read
