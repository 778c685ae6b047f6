// SPDX-License-Identifier: Apache-2.0
#include "read/shard_copier.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "read/cache_fixture.hpp"
#include "support/plain_megatron.hpp"

namespace stowage::read::test {
namespace {

using stowage::test::read_file;
using stowage::test::TemporaryFolder;

// Files of this process may grow so far while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(ShardCopier, CopiesByteForByteAlsoWhatTakesSeveralAccesses) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 100'000'000);
  const FileIdentity large = write(scratch, "large", 20'000'001);
  const FileIdentity empty = write(scratch, "empty", 0);
  ShardCopier copier(folder);

  copier.ask(large);
  copier.ask(empty);

  ASSERT_TRUE(comes_true([&] { return folder.use(folder.path_of(empty.key()), 0); }));
  EXPECT_TRUE(read_file(folder.path_of(large.key())) == read_file(large.path));
}

TEST(ShardCopier, AFileThatIsNoLongerAsItWasIsNotCopied) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 100'000);
  const FileIdentity changed = write(scratch, "changed", 1000);
  scratch.write("changed", "other content");
  const FileIdentity other = write(scratch, "other", 1000);
  ShardCopier copier(folder);

  copier.ask(changed);
  copier.ask(other);

  ASSERT_TRUE(comes_true([&] { return folder.use(folder.path_of(other.key()), 1000); }));
  EXPECT_EQ(files_in(folder.directory(), ".shard").size(), 1U);
}

TEST(ShardCopier, ACopyThatIsGivenUpLeavesNothing) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), std::uint64_t{1} << 40);
  const std::string path = scratch.write("large", "");
  std::filesystem::resize_file(path, std::uint64_t{1} << 30);  // sparse
  {
    ShardCopier copier(folder);
    copier.ask(identify(path).value());
    ASSERT_TRUE(comes_true([&] { return !files_in(folder.directory(), ".part").empty(); }));
  }

  EXPECT_TRUE(files_in(folder.directory(), ".part").empty());
  EXPECT_TRUE(files_in(folder.directory(), ".shard").empty());
}

TEST(ShardCopier, WhatCannotBeWrittenEndsTheCopyingAndNothingElse) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 100'000'000);
  const FileIdentity file = write(scratch, "large", 1'000'000);
  const FileIdentity small = write(scratch, "small", 10);
  testing::internal::CaptureStderr();
  {
    const FileSizeLimit limit(100'000);  // whose excess is a deadly signal unless it is blocked
    ShardCopier copier(folder);
    copier.ask(file);
    copier.ask(small);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const std::string said = testing::internal::GetCapturedStderr();

  EXPECT_NE(said.find("no more data files are copied to " + folder.directory() + ": cannot take space for"),
            std::string::npos)
      << said;
  EXPECT_EQ(files_in(folder.directory(), ".part").size() + files_in(folder.directory(), ".shard").size(), 0U);
}

}  // namespace
}  // namespace stowage::read::test
