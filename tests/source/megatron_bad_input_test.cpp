// SPDX-License-Identifier: Apache-2.0
// Megatron pairs that must be refused, each with what its reader is told.
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "source/contents.hpp"
#include "source/megatron_pair.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::source {
namespace {

using test::MegatronPair;
using test::TemporaryFolder;

class BadMegatron : public testing::Test {
 protected:
  // "<idx>: <text>" is what opening the pair must say.
  void expect_index_error(const std::string& text) const {
    pair_.write(folder_);
    EXPECT_ERROR(read_megatron(prefix_), STOWAGE_DATA_ERROR, idx_ + ": " + text);
  }
  // The same for an index that was changed after it was made.
  void expect_error_of(const std::string& index, const std::string& text) const {
    pair_.write(folder_);
    folder_.write("pair.idx", index);
    EXPECT_ERROR(read_megatron(prefix_), STOWAGE_DATA_ERROR, idx_ + ": " + text);
  }

  const TemporaryFolder folder_;
  const std::string prefix_ = folder_.file("pair");
  const std::string idx_ = prefix_ + ".idx";
  const std::string bin_ = prefix_ + ".bin";
  MegatronPair pair_;
};

TEST_F(BadMegatron, AMissingIndexIsNamed) {
  EXPECT_ERROR(read_megatron(prefix_), STOWAGE_IO_ERROR, "cannot open " + idx_ + ": No such file or directory");
}

TEST_F(BadMegatron, AMissingTokenFileIsNamed) {
  pair_.write(folder_);
  std::filesystem::remove(bin_);

  EXPECT_ERROR(read_megatron(prefix_), STOWAGE_IO_ERROR, "cannot open " + bin_ + ": No such file or directory");
}

TEST_F(BadMegatron, AnUnreadableFileIsNamed) {
  pair_.write(folder_);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  std::filesystem::permissions(bin_, std::filesystem::perms::none);
  // Root may read everything: become somebody else for the moment.
  const bool was_root = ::geteuid() == 0 && ::seteuid(65534) == 0;

  EXPECT_ERROR(read_megatron(prefix_), STOWAGE_IO_ERROR, "cannot open " + bin_ + ": Permission denied");

  ASSERT_TRUE(!was_root || ::seteuid(0) == 0);
}

TEST_F(BadMegatron, AFolderInPlaceOfAFileIsNamed) {
  std::filesystem::create_directory(idx_);

  EXPECT_ERROR(read_megatron(prefix_), STOWAGE_IO_ERROR,
               "cannot open " + idx_ + ": expected a regular file, found a directory");
}

TEST_F(BadMegatron, AnEmptyIndexIsTruncated) {
  expect_error_of("", "expected a header of 34 bytes, found a file of 0; the file is truncated");
}

TEST_F(BadMegatron, AnotherMagicIsShown) {
  pair_.magic = "TNTIDX\0\0\1";
  pair_.magic.resize(9);

  expect_index_error("offset 0: expected the magic 'MMIDIDX', found 'TNTIDX...'; this is no Megatron index");
}

TEST_F(BadMegatron, AnotherVersionIsShown) {
  pair_.version = 2;

  expect_index_error("offset 9: expected version 1, found 2");
}

TEST_F(BadMegatron, FloatingPointTokensAreRefusedByName) {
  pair_.type_code = 6;

  expect_index_error(
      "offset 17: expected a token type code of 1 (u8), 2 (i8), 3 (i16), 4 (i32), 5 (i64) or 8 (u16), found 6 (f64)");
}

TEST_F(BadMegatron, AnUnknownTokenTypeIsRefused) {
  pair_.type_code = 9;

  expect_index_error("offset 17: expected a token type code of 1 (u8)");
}

TEST_F(BadMegatron, ATruncatedIndexIsRefused) {
  std::string index = pair_.index();
  index.pop_back();

  expect_error_of(index,
                  "expected room for the 2 sequences and 3 document boundaries that the header counts, found a file of "
                  "81 bytes; the file is truncated or its header is damaged");
}

TEST_F(BadMegatron, AnIndexThatIsTooLongIsRefused) {
  expect_error_of(pair_.index() + "x",
                  "expected 82 bytes for 2 sequences and 3 document boundaries (or 84 with one mode byte a sequence), "
                  "found 83; the file is too long or its header is damaged");
}

// Counts whose sizes wrap around in 64 bits.
TEST_F(BadMegatron, HostileCountsDoNotOverflow) {
  for (const std::uint64_t hostile : {std::uint64_t{1} << 62, std::uint64_t{1} << 61, std::uint64_t{0x1555555555555556},
                                      std::numeric_limits<std::uint64_t>::max()}) {
    for (const std::size_t offset : {std::size_t{18}, std::size_t{26}}) {
      std::string index = pair_.index();
      std::string count;
      test::put(count, hostile);
      index.replace(offset, 8, count);

      expect_error_of(index, "expected room for the ");
    }
  }
}

TEST_F(BadMegatron, ANegativeLengthIsNamed) {
  pair_.lengths[1] = -2;

  expect_index_error("offset 38: sequence 1: expected a length >= 0, found -2");
}

TEST_F(BadMegatron, ATruncatedTokenFileIsRefused) {
  pair_.write(folder_);
  std::filesystem::resize_file(bin_, 9);

  EXPECT_ERROR(read_megatron(prefix_), STOWAGE_DATA_ERROR,
               bin_ + ": expected 5 tokens of 2 bytes, as the lengths in " + idx_ +
                   " add up to, found a file of 9 bytes; the file is truncated");
}

TEST_F(BadMegatron, ATokenFileThatIsTooLongIsRefused) {
  pair_.tokens.push_back(1);
  pair_.write(folder_);

  EXPECT_ERROR(read_megatron(prefix_), STOWAGE_DATA_ERROR,
               bin_ + ": expected 5 tokens of 2 bytes, as the lengths in " + idx_ +
                   " add up to, found a file of 12 bytes; the file is too long for its index");
}

TEST_F(BadMegatron, APointerPastTheEndIsNamed) {
  pair_.pointers[1] = 8;

  expect_index_error("offset 50: sequence 1: expected byte pointer 6, found 8, which points outside the 10 bytes of " +
                     bin_);
}

TEST_F(BadMegatron, APointerThatWrappedIsNamed) {
  pair_.pointers[1] = -2147483648;

  expect_index_error("offset 50: sequence 1: expected byte pointer 6, found -2147483648, which points outside the 10 ");
}

TEST_F(BadMegatron, APointerThatLeavesAGapIsNamed) {
  pair_.pointers[1] = 2;

  expect_index_error(
      "offset 50: sequence 1: expected byte pointer 6, found 2, which does not follow the sequence before it (not "
      "contiguous)");
}

TEST_F(BadMegatron, ADocumentIndexThatDoesNotBeginAtZeroIsRefused) {
  pair_.documents = {1, 1, 2};

  expect_index_error("offset 58: document boundary 0 of 3: expected 0, found 1");
}

TEST_F(BadMegatron, ADocumentIndexThatGoesBackIsRefused) {
  pair_.documents = {0, 2, 1, 2};

  expect_index_error("offset 74: document boundary 2 of 4: expected at least 2, the one before, found 1");
}

TEST_F(BadMegatron, ADocumentBoundaryPastTheSequencesIsRefused) {
  pair_.documents = {0, 3, 2};

  expect_index_error("offset 66: document boundary 1 of 3: expected at most 2, the number of sequences, found 3");
}

TEST_F(BadMegatron, ADocumentIndexThatDoesNotEndAtTheLastSequenceIsRefused) {
  pair_.documents = {0, 1};

  expect_index_error(
      "expected the document index to end at 2, the number of sequences, found 1; was it merged from several files "
      "without moving its boundaries?");
}

TEST_F(BadMegatron, AMissingDocumentIndexIsRefused) {
  pair_.documents = {};

  expect_index_error("expected the document index to end at 2, the number of sequences, found no boundary");
}

TEST_F(BadMegatron, AnEmptySourceIsRefused) {
  pair_.lengths = {};
  pair_.pointers = {};
  pair_.documents = {0};
  pair_.tokens = {};

  expect_index_error("empty source: expected at least 1 sequence, found 0");
}

// Whatever the index is cut to, it is refused and never read beyond its end.
TEST_F(BadMegatron, EveryTruncationOfTheIndexIsRefused) {
  pair_.write(folder_);
  const std::string index = pair_.index();

  for (std::size_t size = 0; size < index.size(); ++size) {
    folder_.write("pair.idx", index.substr(0, size));
    EXPECT_THROW(read_megatron(prefix_), Error) << size;
  }
}

}  // namespace
}  // namespace stowage::source
