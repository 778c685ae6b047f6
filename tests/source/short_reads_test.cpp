// SPDX-License-Identifier: Apache-2.0
// An operating system that gives fewer bytes than asked for, and is interrupted. A program of its own: it takes the
// place of pread(2).
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "source/input_file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace {

int calls = 0;

}  // namespace

// Every other call is interrupted; the others give three bytes at most.
extern "C" ssize_t pread(int fd, void* buffer, size_t count, off_t offset) {
  if (++calls % 2 == 1) {
    errno = EINTR;
    return -1;
  }
  return ::syscall(SYS_pread64, fd, buffer, std::min<size_t>(count, 3), offset);
}

namespace stowage::source {
namespace {

TEST(ShortReads, AreContinuedUntilEverythingIsThere) {
  const test::TemporaryFolder folder;
  const InputFile file(folder.write("a", "0123456789abcdef"));
  Bytes out(10);
  calls = 0;

  file.read(2, out);

  EXPECT_EQ(text_of(out), "23456789ab");
  EXPECT_EQ(calls, 8);  // the system's own pread was not used
}

TEST(ShortReads, AtTheEndOfTheFileAreAnErrorThatCountsWhatCame) {
  const test::TemporaryFolder folder;
  const InputFile file(folder.write("a", "0123456789"));
  Bytes out(20);

  EXPECT_ERROR(file.read(5, out), STOWAGE_DATA_ERROR,
               file.path() + ": offset 5: wanted 20 bytes, got 5; the file ends too early");
}

}  // namespace
}  // namespace stowage::source
