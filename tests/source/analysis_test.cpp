// SPDX-License-Identifier: Apache-2.0
// What is told of a shard: lengths, document ends, verification.
#include <fcntl.h>
#include <unistd.h>

#include <numeric>

#include "source/document_ending.hpp"
#include "source/hdf5_shard.hpp"
#include "source/length_summary.hpp"
#include "source/megatron_pair.hpp"
#include "source/verify_shard.hpp"
#include "support/errors.hpp"

namespace stowage::source {
namespace {

using test::MegatronPair;
using test::TemporaryFolder;

const auto kNoProgress = [](std::uint64_t, std::uint64_t) {};

void write_byte(const std::string& path, std::uint64_t offset, char value) {
  const int fd = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::pwrite(fd, &value, 1, static_cast<off_t>(offset)), 1);
  ::close(fd);
}

TEST(LengthSummary, QuantilesAreNearestRanks) {
  std::vector<std::uint64_t> lengths(200);
  std::iota(lengths.rbegin(), lengths.rend(), 0);  // 199 ... 0

  const LengthSummary summary = summarise(lengths);

  EXPECT_EQ(summary.count, 200U);
  EXPECT_EQ(summary.zero, 1U);
  EXPECT_EQ(summary.min, 0U);
  EXPECT_EQ(summary.median, 99U);
  EXPECT_EQ(summary.p90, 179U);
  EXPECT_EQ(summary.p99, 197U);
  EXPECT_EQ(summary.max, 199U);
  EXPECT_DOUBLE_EQ(summary.mean, 99.5);
}

TEST(LengthSummary, OfOneSequenceEveryQuantileIsItsLength) {
  const LengthSummary summary = summarise({7});

  EXPECT_EQ(summary.min, 7U);
  EXPECT_EQ(summary.median, 7U);
  EXPECT_EQ(summary.p99, 7U);
}

TEST(Histogram, BinsAreHalvesOfPowersOfTwoWithZeroApart) {
  const std::vector<std::uint64_t> lengths{0, 1, 2, 3, 4, 5, 6, 7, 8, 12};

  EXPECT_EQ(histogram(lengths),
            (std::vector<LengthBin>{
                {0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 5, 2}, {6, 7, 2}, {8, 11, 1}, {12, 15, 1}}));
}

TEST(Histogram, WideRangesUsePowersOfTwo) {
  const std::vector<LengthBin> bins = histogram(std::vector<std::uint64_t>{1, 3, 1'000'000});

  ASSERT_EQ(bins.size(), 20U);
  EXPECT_EQ(bins[0], (LengthBin{1, 1, 1}));
  EXPECT_EQ(bins[1], (LengthBin{2, 3, 1}));
  EXPECT_EQ(bins[19], (LengthBin{524288, 1048575, 1}));
}

TEST(Histogram, EverySequenceIsCountedInTheBinOfItsLength) {
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t length = 0; length < 5000; length += 1 + length / 7) lengths.push_back(length);

  const std::vector<LengthBin> bins = histogram(lengths);

  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto within = [&](std::uint64_t length) { return length >= bins[i].from && length <= bins[i].to; };
    EXPECT_EQ(bins[i].count, static_cast<std::uint64_t>(std::ranges::count_if(lengths, within)));
    EXPECT_EQ(bins[i].from, i == 0 ? 0 : bins[i - 1].to + 1);
  }
}

TEST(Histogram, OnlyZeroLengthsGiveOneBin) {
  EXPECT_EQ(histogram(std::vector<std::uint64_t>{0, 0}), (std::vector<LengthBin>{{0, 0, 2}}));
}

TEST(DocumentEnding, IsTheMostFrequentLastTokenOfTheDocumentsThatHaveOne) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.lengths = {2, 0, 1, 1, 1};
  pair.pointers = {0, 4, 4, 6, 8};
  pair.documents = {0, 2, 3, 3, 4, 5};  // the third is empty
  pair.tokens = {1, 9, 9, 5, 9};

  const DocumentEnding ending = document_ending(read_megatron(pair.write(folder)));

  EXPECT_EQ(ending.token, 9);
  EXPECT_EQ(ending.count, 3U);
  EXPECT_EQ(ending.looked_at, 4U);
}

TEST(DocumentEnding, LooksAtAsManyDocumentsAsAskedSpreadEvenly) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.lengths.assign(100, 1);
  pair.tokens.clear();
  pair.pointers.clear();
  pair.documents = {0};
  for (std::int64_t i = 0; i < 100; ++i) {
    pair.tokens.push_back(i % 10 == 0 ? 7 : 8);
    pair.pointers.push_back(2 * i);
    pair.documents.push_back(i + 1);
  }

  const DocumentEnding ending = document_ending(read_megatron(pair.write(folder)), 10);

  EXPECT_EQ(ending.looked_at, 10U);
  EXPECT_EQ(ending.token, 7);
  EXPECT_EQ(ending.count, 10U);
}

TEST(VerifyShard, ReadsEverythingAndTellsTheLargestId) {
  const TemporaryFolder folder;
  std::uint64_t reported = 0;

  const Verification verification =
      verify_shard(read_hdf5(test::write_shard(folder)), [&](std::uint64_t done, std::uint64_t) { reported = done; });

  EXPECT_EQ(verification.bytes, 10000U);
  EXPECT_EQ(verification.blocks, 3U);
  EXPECT_EQ(verification.largest_token, 299);
  EXPECT_EQ(reported, 10000U);
}

TEST(VerifyShard, ADamagedTokenIsFoundInAnyPiece) {
  const TemporaryFolder folder;
  const std::string path = test::write_shard(folder, 10'000'000);  // three pieces
  const Contents contents = read_hdf5(path);
  write_byte(path, contents.shard.base + 19'999'999, 1);

  EXPECT_ERROR(verify_shard(contents, kNoProgress), STOWAGE_DATA_ERROR, path + ": block 4882 (3328 bytes at offset ");
}

TEST(VerifyShard, DamagedBlockChecksumsAreTold) {
  const TemporaryFolder folder;
  const std::string path = test::write_shard(folder);
  const Contents contents = read_hdf5(path);
  write_byte(path, contents.shard.checksum_base + 23, 1);

  EXPECT_ERROR(
      verify_shard(contents, kNoProgress), STOWAGE_DATA_ERROR,
      fmt::format("{}: block checksums (3 at offset {}): expected checksum ", path, contents.shard.checksum_base));
}

TEST(VerifyShard, ANegativeIdOfAMegatronPairIsFoundInAnyPiece) {
  const TemporaryFolder folder;
  MegatronPair pair;
  pair.type_code = 3;  // i16
  pair.lengths = {5'000'000, 2};
  pair.pointers = {0, 10'000'000};
  pair.tokens.assign(5'000'002, 1);
  pair.tokens.back() = 0xffff;
  const std::string prefix = pair.write(folder);

  EXPECT_ERROR(verify_shard(read_megatron(prefix), kNoProgress), STOWAGE_DATA_ERROR,
               prefix + ".bin: token 5000001: expected an id >= 0, found -1");
}

TEST(ReadContents, TellsTheFormatByTheFile) {
  const TemporaryFolder folder;
  const std::string shard = test::write_shard(folder);
  std::filesystem::rename(shard, folder.file("no-ending"));

  EXPECT_EQ(read_contents(folder.file("no-ending")).format, config::Format::hdf5);
  EXPECT_EQ(read_contents(MegatronPair{}.write(folder)).format, config::Format::megatron);
}

TEST(ReadContents, AFolderThatCannotBeEnteredIsAnIoError) {
  const TemporaryFolder folder;  // for its owner alone
  const bool was_root = ::geteuid() == 0 && ::seteuid(65534) == 0;
  if (!was_root) std::filesystem::permissions(folder.path(), std::filesystem::perms::none);

  EXPECT_ERROR(read_contents(folder.file("shard.h5")), STOWAGE_IO_ERROR,
               "cannot open " + folder.file("shard.h5") + ": Permission denied");

  ASSERT_TRUE(!was_root || ::seteuid(0) == 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(ReadContents, AFileOfAnotherKindIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("notes.txt", "neither");

  EXPECT_ERROR(
      read_contents(path), STOWAGE_DATA_ERROR,
      path + ": expected an HDF5 file or a Megatron pair, found neither the HDF5 signature nor " + path + ".idx");
}

}  // namespace
}  // namespace stowage::source
