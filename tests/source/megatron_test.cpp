// SPDX-License-Identifier: Apache-2.0
// Sound Megatron pairs.
#include <filesystem>
#include <fstream>

#include "source/contents.hpp"
#include "source/input_file.hpp"
#include "source/megatron_pair.hpp"
#include "source/tokens.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::source {
namespace {

using config::SampleUnit;
using test::MegatronPair;
using test::TemporaryFolder;

TEST(Megatron, TellsWhereTheTokensLie) {
  const TemporaryFolder folder;
  const std::string prefix = MegatronPair{}.write(folder);

  const Shard shard = open_megatron(prefix, SampleUnit::sequence);

  EXPECT_EQ(shard.token_file, prefix + ".bin");
  EXPECT_EQ(shard.base, 0U);
  EXPECT_EQ(shard.type, TokenType::u16);
  EXPECT_EQ(shard.tokens, 5U);
  EXPECT_EQ(shard.begin, (std::vector<std::uint64_t>{0, 3, 5}));
  EXPECT_EQ(shard.block_bytes, 0U);
}

TEST(Megatron, TakesThePrefixOrEitherFilesName) {
  const TemporaryFolder folder;
  const std::string prefix = MegatronPair{}.write(folder, "a.name.with.dots");

  for (const std::string& name : {prefix, prefix + ".idx", prefix + ".bin"}) {
    EXPECT_EQ(open_megatron(name, SampleUnit::sequence).token_file, prefix + ".bin") << name;
  }
}

TEST(Megatron, TheDocumentUnitJoinsTheSequencesOfADocument) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.lengths = {1, 2, 0, 2};
  pair.pointers = {0, 2, 6, 6};
  pair.documents = {0, 2, 2, 4};  // the second document is empty

  const Shard shard = open_megatron(pair.write(folder), SampleUnit::document);

  EXPECT_EQ(shard.begin, (std::vector<std::uint64_t>{0, 3, 3, 5}));
}

TEST(Megatron, ModeBytesAreInferredFromTheSizeOfTheIndex) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.modes = std::string("\0\1", 2);

  const Contents contents = read_megatron(pair.write(folder));

  EXPECT_TRUE(contents.has_modes);
  EXPECT_EQ(contents.shard.begin, (std::vector<std::uint64_t>{0, 3, 5}));
}

TEST(Megatron, OnlyZeroLengthSequencesAreLegal) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.lengths = {0, 0};
  pair.pointers = {0, 0};
  pair.tokens = {};

  const Shard shard = open_megatron(pair.write(folder), SampleUnit::sequence);

  EXPECT_EQ(shard.sequences(), 2U);
  EXPECT_EQ(shard.tokens, 0U);
}

// An index so long that it is read in several pieces.
TEST(Megatron, LongIndexesAreReadWhole) {
  const TemporaryFolder folder;
  MegatronPair pair;
  const std::size_t sequences = 1'500'000;
  pair.lengths.assign(sequences, 0);
  pair.lengths.back() = 5;
  pair.pointers.assign(sequences, 0);
  pair.documents = {0, static_cast<std::int64_t>(sequences)};

  const Shard shard = open_megatron(pair.write(folder), SampleUnit::sequence);

  EXPECT_EQ(shard.sequences(), sequences);
  EXPECT_EQ(shard.begin[sequences - 1], 0U);
  EXPECT_EQ(shard.begin[sequences], 5U);
}

TEST(Megatron, OffsetsBeyondFourGibibytesAreExact) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.type_code = 4;  // i32
  pair.lengths = {1'300'000'000, 2};
  pair.pointers = {0, 5'200'000'000};
  pair.tokens = {};
  const std::string prefix = pair.write(folder);
  std::filesystem::resize_file(prefix + ".bin", 5'200'000'008);  // sparse
  {
    std::fstream bin(prefix + ".bin", std::ios::binary | std::ios::in | std::ios::out);
    std::string tail;
    test::put(tail, std::int32_t{7});
    test::put(tail, std::int32_t{8});
    bin.seekp(5'200'000'000).write(tail.data(), 8);
  }

  const Shard shard = open_megatron(prefix, SampleUnit::sequence);
  Bytes raw(8);
  InputFile(shard.token_file).read(shard.base + shard.begin[1] * token_bytes(shard.type), raw);

  EXPECT_EQ(shard.tokens, 1'300'000'002U);
  EXPECT_EQ(token_at(raw, shard.type, 0), 7);
  EXPECT_EQ(token_at(raw, shard.type, 1), 8);
}

}  // namespace
}  // namespace stowage::source
