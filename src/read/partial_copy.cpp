// SPDX-License-Identifier: Apache-2.0
#include "read/partial_copy.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/narrow.hpp"
#include "source/system_error.hpp"

namespace stowage::read {

PartialCopy::PartialCopy(std::string temporary, std::string name, std::uint64_t bytes)
    : temporary_(std::move(temporary)),
      name_(std::move(name)),
      // For the owner alone: who may not read the original shall not read the copy.
      fd_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (fd_ < 0) source::fail_with_errno("create", temporary_);
  try {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) source::fail_with_errno("lock", temporary_);
    take_space(bytes);
  } catch (...) {
    ::unlink(temporary_.c_str());
    ::close(fd_);
    throw;
  }
}

PartialCopy::~PartialCopy() {
  if (fd_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(fd_);
}

void PartialCopy::take_space(std::uint64_t bytes) {
  const auto size = narrow<off_t>(bytes, "size of a copy");
  int result = 0;
  if (size > 0) {
    do {
      result = ::fallocate(fd_, 0, 0, size);
    } while (result != 0 && errno == EINTR);
  }
  if (result == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS) source::fail_with_errno("take space for", temporary_);
  if (::ftruncate(fd_, size) != 0) source::fail_with_errno("set the size of", temporary_);
}

void PartialCopy::write_at(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), narrow<off_t>(offset, "file offset"));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) source::fail_with_errno("write", temporary_);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void PartialCopy::flush() {
  if (::fdatasync(fd_) != 0) source::fail_with_errno("flush", temporary_);
}

void PartialCopy::publish() {
  if (std::rename(temporary_.c_str(), name_.c_str()) != 0) source::fail_with_errno("rename", temporary_);
  ::close(std::exchange(fd_, -1));
}

bool is_being_copied(const std::string& temporary) noexcept {
  const int fd = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return true;
  const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) != 0;
  ::close(fd);
  return locked;
}

}  // namespace stowage::read
