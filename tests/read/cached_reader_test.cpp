// SPDX-License-Identifier: Apache-2.0
// The cooperative reader with a cache: the same bytes, from wherever.
#include <gtest/gtest.h>

#include "base/narrow.hpp"
#include "read/cache_fixture.hpp"
#include "read/reader.hpp"
#include "read/shard_cache.hpp"
#include "source/block_hasher.hpp"
#include "support/errors.hpp"
#include "support/plain_megatron.hpp"

namespace stowage::read::test {
namespace {

using stowage::test::read_file;
using stowage::test::TemporaryFolder;

constexpr std::uint32_t kBlock = 4096;
constexpr std::uint64_t kTokenBytes = 1'000'000;

class CachedReader : public testing::Test {
 protected:
  // A shard whose tokens are followed by their checksums.
  CachedReader() {
    const std::string tokens = text_of_length(kTokenBytes);
    source::BlockHasher hasher(kBlock);
    hasher.add(std::as_bytes(std::span(tokens)));
    const std::vector<std::uint64_t>& checksums = hasher.finish();
    const std::string stored(reinterpret_cast<const char*>(checksums.data()), checksums.size() * sizeof(checksums[0]));
    ShardInfo shard;
    shard.file = scratch_.write("shard", tokens + stored);
    shard.bytes = kTokenBytes;
    shard.block_bytes = kBlock;
    shard.checksum_base = kTokenBytes;
    shards_ = {shard};
    start();
  }

  // As in another process.
  void start(std::uint64_t bytes = 10'000'000) {
    reader_ = make_cooperative_reader(shards_, 4, {.directory = scratch_.file("cache"), .bytes = bytes});
  }

  // Reads some blocks and compares them with the original; the bytes of them that came from the copy.
  std::uint64_t read(std::uint64_t begin = 40'960, std::uint64_t end = 81'920) {
    const ReadPlan plan = plan_reads(std::vector<Piece>{{0, begin, end}}, shards_, 1);
    Bytes out(plan.bytes_of(0));
    const std::uint64_t before = reader_->stats().bytes_cached;
    const std::uint64_t checked = reader_->stats().blocks_checked;
    reader_->read(plan, 0, out);
    const std::string text = text_of_length(kTokenBytes).substr(begin, end - begin);
    EXPECT_TRUE(std::ranges::equal(out, std::as_bytes(std::span(text))));
    EXPECT_EQ(reader_->stats().blocks_checked - checked, div_ceil<std::uint64_t>(end - begin, kBlock));
    return reader_->stats().bytes_cached - before;
  }

  std::vector<std::filesystem::path> copies() const { return files_in(scratch_.file("cache"), ".shard"); }

  bool becomes_hot() {
    return comes_true([this] { return read() > 0; });
  }

  // Reads just so often that their cost reaches `bytes`, but for the last read.
  void read_almost(std::uint64_t bytes) {
    const std::uint64_t cost = 40'960 + ShardCache::kReadCosts;
    for (std::uint64_t spent = cost; spent < bytes; spent += cost) read();
  }

  bool copied_in_a_moment() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return !copies().empty();
  }

  // Copies that this process holds open although they have no name any more.
  int deleted_files_held() const {
    int held = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code ignored;  // the iterator's own descriptor is among them
      const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
      if (target.starts_with(scratch_.path().string()) && target.ends_with(".shard (deleted)")) ++held;
    }
    return held;
  }

  void flip_a_bit(const std::filesystem::path& path, std::size_t offset) {
    std::string content = read_file(path);
    content[offset] = static_cast<char>(content[offset] ^ 1);
    std::ofstream(path, std::ios::binary | std::ios::in | std::ios::out) << content;
  }

  TemporaryFolder scratch_;
  std::vector<ShardInfo> shards_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(CachedReader, AHotFileIsReadFromItsCopyAndChecked) {
  ASSERT_TRUE(becomes_hot());

  std::filesystem::rename(shards_[0].file, scratch_.file("elsewhere"));

  EXPECT_EQ(read(), 40'960U);
  EXPECT_EQ(read(0, kTokenBytes), kTokenBytes);
}

TEST_F(CachedReader, AFileIsHotOnceItsReadsCostAsMuchAsItsCopy) {
  read_almost(std::filesystem::file_size(shards_[0].file));
  const bool before = copied_in_a_moment();

  read();

  EXPECT_FALSE(before);
  EXPECT_TRUE(comes_true([this] { return copies().size() == 1; }));
}

TEST_F(CachedReader, ForTheNextCopyTwiceAsMuchMustBeRead) {
  const std::uint64_t bytes = std::filesystem::file_size(shards_[0].file);
  read_almost(bytes);
  read();
  ASSERT_TRUE(comes_true([this] { return copies().size() == 1; }));
  std::filesystem::remove(copies().front());

  read_almost(2 * bytes);
  const bool before = copied_in_a_moment();
  read();

  EXPECT_FALSE(before);
  EXPECT_TRUE(comes_true([this] { return copies().size() == 1; }));
}

TEST_F(CachedReader, TheNextProcessFindsTheCopy) {
  ASSERT_TRUE(becomes_hot());

  start();

  EXPECT_EQ(read(), 40'960U);
}

TEST_F(CachedReader, ACopyThatIsDeletedIsMissedBySayingSoOnce) {
  ASSERT_TRUE(becomes_hot());
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove_all(scratch_.file("cache"));
    EXPECT_EQ(read(), 0U);
    EXPECT_EQ(deleted_files_held(), 0) << "or their space would not come back";
    std::filesystem::create_directory(scratch_.file("cache"));
    EXPECT_TRUE(becomes_hot()) << "and comes back";
  }
  const std::string said = testing::internal::GetCapturedStderr();

  const std::string message = "the copy of " + shards_[0].file + " is gone from " + scratch_.file("cache");
  const std::size_t at = said.find(message);
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find(message, at + 1), std::string::npos) << said;
}

TEST_F(CachedReader, AChangedFileIsNotReadFromItsOldCopy) {
  ASSERT_TRUE(becomes_hot());
  std::filesystem::last_write_time(shards_[0].file,
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));

  start();

  EXPECT_EQ(read(), 0U);
}

TEST_F(CachedReader, ADamagedCopyIsRemovedAndTheOriginalRead) {
  for (const std::size_t place : {std::size_t{50'000}, std::size_t{kTokenBytes + 12 * 8}}) {  // a token, a checksum
    start();
    ASSERT_TRUE(becomes_hot());
    flip_a_bit(copies().front(), place);
    start();
    testing::internal::CaptureStderr();

    const std::uint64_t cached = read();

    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(cached, 0U);
    EXPECT_NE(said.find("is removed, and the file read from where it is"), std::string::npos) << said;
    EXPECT_TRUE(copies().empty());
  }
}

TEST_F(CachedReader, ACopyThatIsCutShortIsNotRead) {
  ASSERT_TRUE(becomes_hot());
  const std::filesystem::path copy = copies().front();
  ASSERT_EQ(read(), 40'960U);
  std::filesystem::resize_file(copy, 50'000);

  EXPECT_EQ(read(), 0U);
}

TEST_F(CachedReader, ADamagedOriginalIsAnErrorAsWithoutACache) {
  flip_a_bit(shards_[0].file, 50'000);
  start();

  EXPECT_ERROR(read(), STOWAGE_DATA_ERROR, shards_[0].file + ": block 12 ");
}

TEST_F(CachedReader, AFolderThatCannotBeUsedIsSaidAndNoError) {
  scratch_.write("cache-file", "no folder");
  testing::internal::CaptureStderr();
  reader_ = make_cooperative_reader(shards_, 4, {.directory = scratch_.file("cache-file/cache"), .bytes = 1000});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(read(), 0U);
  const std::string said = testing::internal::GetCapturedStderr();

  EXPECT_NE(said.find("the cache " + scratch_.file("cache-file/cache") + " is not used: cannot make the folder"),
            std::string::npos)
      << said;
}

TEST_F(CachedReader, AFileThatFindsNoRoomIsReadFromWhereItIs) {
  start(1000);

  for (int i = 0; i < 20; ++i) EXPECT_EQ(read(), 0U);

  EXPECT_TRUE(copies().empty());
}

}  // namespace
}  // namespace stowage::read::test
