// SPDX-License-Identifier: Apache-2.0
// One changed byte of a shard, wherever it is, is refused on opening or caught on reading; or it lies between the
// objects of the file, where nothing is stored.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "h5/handle.hpp"
#include "source/hdf5_shard.hpp"

namespace stowage::source {
namespace {

enum class Outcome { refused, caught, harmless, missed };

bool same(const Contents& a, const Contents& b) {
  return a.shard.base == b.shard.base && a.shard.tokens == b.shard.tokens && a.shard.type == b.shard.type &&
         a.shard.begin == b.shard.begin && a.shard.checksum_base == b.shard.checksum_base &&
         a.shard.block_bytes == b.shard.block_bytes && a.shard.vocab_size == b.shard.vocab_size &&
         a.documents == b.documents && a.block_checksums_checksum == b.block_checksums_checksum &&
         a.provenance->tokenizer == b.provenance->tokenizer && a.provenance->tool == b.provenance->tool &&
         a.provenance->inputs == b.provenance->inputs;
}

Outcome outcome_of(const Contents& sound) {
  Contents contents;
  try {
    contents = read_hdf5(sound.index_file);
  } catch (const Error&) {
    return Outcome::refused;
  }
  try {
    test::verify_all(contents.shard);
  } catch (const Error&) {
    return Outcome::caught;
  }
  return same(contents, sound) ? Outcome::harmless : Outcome::missed;
}

// A byte of a file that is changed for the lifetime of the object.
class ChangedByte {
 public:
  ChangedByte(int fd, off_t offset, char before, char now) : fd_(fd), offset_(offset), before_(before) {
    EXPECT_EQ(::pwrite(fd_, &now, 1, offset_), 1);
  }
  ~ChangedByte() { EXPECT_EQ(::pwrite(fd_, &before_, 1, offset_), 1); }
  ChangedByte(const ChangedByte&) = delete;
  ChangedByte& operator=(const ChangedByte&) = delete;

 private:
  int fd_;
  off_t offset_;
  char before_;
};

class FlippedByte : public testing::Test {
 protected:
  FlippedByte() { h5::silence(); }
  ~FlippedByte() override { ::close(fd_); }

  Outcome outcome_at(std::size_t offset) {
    const char before = bytes_[offset];
    const auto now = static_cast<char>(before ^ (1 << (offset % 8)));
    const ChangedByte changed(fd_, static_cast<off_t>(offset), before, now);
    return outcome_of(sound_);
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = test::write_shard(folder_, 3000);
  const std::string bytes_ = test::content_of(path_);
  const Contents sound_ = read_hdf5(path_);
  const int fd_ = ::open(path_.c_str(), O_RDWR);
};

TEST_F(FlippedByte, OfATokenIsCaughtOnReading) {
  const std::size_t end = sound_.shard.base + sound_.shard.tokens * token_bytes(sound_.shard.type);

  for (std::size_t offset = sound_.shard.base; offset < end; ++offset) {
    ASSERT_EQ(outcome_at(offset), Outcome::caught) << "byte " << offset;
  }
}

TEST_F(FlippedByte, OfABlockChecksumIsCaughtOnReading) {
  for (std::size_t i = 0; i < 8 * block_count(sound_.shard); ++i) {
    ASSERT_EQ(outcome_at(sound_.shard.checksum_base + i), Outcome::caught) << "byte " << i;
  }
}

TEST_F(FlippedByte, OfAnythingElseIsRefusedUnlessNothingIsStoredThere) {
  std::size_t refused = 0;

  for (std::size_t offset = 0; offset < sound_.shard.base; ++offset) {
    const Outcome outcome = outcome_at(offset);
    ASSERT_NE(outcome, Outcome::missed) << "byte " << offset;
    if (outcome == Outcome::harmless) {
      ASSERT_EQ(bytes_[offset], '\0') << "byte " << offset << " is stored but not checked";
    }
    refused += outcome == Outcome::refused ? 1 : 0;
  }

  // The superblock, seven object headers, the two boundary arrays and the provenance.
  EXPECT_GT(refused, 2000U);
}

}  // namespace
}  // namespace stowage::source
