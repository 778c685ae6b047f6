// SPDX-License-Identifier: Apache-2.0
// Sound HDF5 shards, and what verify_blocks says of damaged ones.
#include <algorithm>
#include <filesystem>

#include "base/hash.hpp"
#include "source/hdf5_schema.hpp"
#include "source/hdf5_shard.hpp"
#include "source/tokens.hpp"
#include "support/errors.hpp"

namespace stowage::source {
namespace {

using config::SampleUnit;
using test::TemporaryFolder;

TEST(Hdf5, TellsWhereTheTokensLie) {
  const TemporaryFolder folder;
  const std::string path = test::write_shard(folder);

  const Shard shard = open_hdf5(path, SampleUnit::sequence);

  EXPECT_EQ(shard.token_file, path);
  EXPECT_EQ(shard.type, TokenType::u16);
  EXPECT_EQ(shard.begin, (std::vector<std::uint64_t>{0, 100, 100, 101, 108, 5000}));
  EXPECT_EQ(shard.vocab_size, 300U);
  EXPECT_EQ(shard.block_bytes, 4096U);
  EXPECT_EQ(shard.base % 4096, 0U);
  EXPECT_NO_THROW(test::verify_all(shard));
}

TEST(Hdf5, TheDocumentUnitJoinsTheSequencesOfADocument) {
  const TemporaryFolder folder;

  const Shard shard = open_hdf5(test::write_shard(folder), SampleUnit::document);

  EXPECT_EQ(shard.begin, (std::vector<std::uint64_t>{0, 100, 100, 5000}));
}

TEST(Hdf5, OffsetsBeyondFourGibibytesAreExact) {
  const TemporaryFolder folder;
  const std::string path = folder.file("large.h5");
  Contents contents;
  contents.shard.type = TokenType::i32;
  contents.shard.tokens = 1'300'000'000;
  contents.shard.begin = {0, 1'299'999'998, 1'300'000'000};
  contents.shard.block_bytes = 4096;
  contents.documents = {0, 2};
  const std::vector<std::uint64_t> checksums(block_count(contents.shard), hash64(Bytes(4096)));
  contents.block_checksums_checksum = hash64(std::as_bytes(std::span(checksums)));
  const std::uint64_t base = schema::create_without_tokens(path, contents, checksums);  // sparse

  const Shard shard = open_hdf5(path, SampleUnit::sequence);
  std::vector<std::uint64_t> last(1);
  InputFile(path).read(shard.checksum_base + 8 * (block_count(shard) - 1), std::as_writable_bytes(std::span(last)));

  EXPECT_EQ(shard.base, base);
  EXPECT_EQ(shard.begin, contents.shard.begin);
  EXPECT_EQ(InputFile(path).size(), base + 5'200'000'000);
  EXPECT_EQ(last[0], checksums.back());
}

TEST(VerifyBlocks, ADamagedBlockIsNamedWithItsPlaceAndBothChecksums) {
  const TemporaryFolder folder;
  const Shard shard = open_hdf5(test::write_shard(folder), SampleUnit::sequence);
  const InputFile file(shard.token_file);
  Bytes tail(10000 - 4096);
  std::vector<std::uint64_t> checksums(2);
  file.read(shard.base + 4096, tail);
  file.read(shard.checksum_base + 8, std::as_writable_bytes(std::span(checksums)));
  ASSERT_NO_THROW(verify_blocks(shard, 4096, tail, checksums));

  tail.back() ^= std::byte{1};  // in the last block, which is short

  EXPECT_ERROR(verify_blocks(shard, 4096, tail, checksums), STOWAGE_DATA_ERROR,
               fmt::format("{}: block 2 (1808 bytes at offset {}): expected checksum {:016x}, found {:016x}; the file "
                           "is damaged",
                           shard.token_file, shard.base + 8192, checksums[1], hash64(ByteView(tail).subspan(4096))));
}

TEST(VerifyBlocks, ARangeThatBeginsInsideABlockIsAnInternalError) {
  Shard shard;
  shard.block_bytes = 4096;

  EXPECT_ERROR(verify_blocks(shard, 100, {}, {}), STOWAGE_INTERNAL_ERROR, "byte 100 begins no block of 4096 bytes");
}

TEST(VerifyBlocks, AMissingChecksumIsAnInternalError) {
  Shard shard;
  shard.block_bytes = 4096;
  const Bytes bytes(5000);
  const std::vector<std::uint64_t> checksums(1);

  EXPECT_ERROR(verify_blocks(shard, 0, bytes, checksums), STOWAGE_INTERNAL_ERROR,
               "1 checksums for 5000 bytes in blocks of 4096");
}

}  // namespace
}  // namespace stowage::source
