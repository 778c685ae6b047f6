// SPDX-License-Identifier: Apache-2.0
#include "source/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "source/system_error.hpp"

namespace stowage::source {

void pread_exact(int fd, const std::string& path, std::uint64_t offset, ByteSpan out) {
  std::uint64_t got = 0;
  while (got < out.size()) {
    const ssize_t n = ::pread(fd, out.data() + got, out.size() - got, narrow<off_t>(offset + got, "file offset"));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with_errno("read", path);
    if (n == 0) {
      fail(STOWAGE_DATA_ERROR, "{}: offset {}: wanted {} bytes, got {}; the file ends too early", path, offset,
           out.size(), got);
    }
    got += static_cast<std::uint64_t>(n);
  }
}

InputFile::InputFile(std::string path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  // O_NONBLOCK says nothing for regular files; it keeps open() from waiting for the writer of a named pipe.
  if (fd_ < 0) fail_with_errno("open", path_);
  struct stat status {};
  const bool known = ::fstat(fd_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(fd_);
    fail(STOWAGE_IO_ERROR, "cannot open {}: expected a regular file, found {}", path_,
         S_ISDIR(status.st_mode) ? "a directory" : "something else");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

}  // namespace stowage::source
