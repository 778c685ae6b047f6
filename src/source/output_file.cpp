// SPDX-License-Identifier: Apache-2.0
#include "source/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "source/system_error.hpp"

namespace stowage::source {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail_with_errno("open folder", folder);
  const int result = ::fsync(fd);
  const int code = errno;
  ::close(fd);
  errno = code;
  // Some file systems cannot flush a folder and say so with EINVAL; there is nothing better to do there.
  if (result != 0 && code != EINVAL) fail_with_errno("flush folder", folder);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  // A random name, made exclusively: writers on other nodes of a shared file system may aim at the same final name.
  std::random_device entropy;
  do {
    temporary_ = fmt::format("{}.tmp-{:08x}", path_, entropy());
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail_with_errno("create", path_);
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void OutputFile::append(ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    write_at(written_, bytes);
    written_ += bytes.size();
    return;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void OutputFile::flush() {
  write_at(written_, buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::write_at(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), narrow<off_t>(offset, "file offset"));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with_errno("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void OutputFile::sync() {
  flush();
  if (::fsync(fd_) != 0) fail_with_errno("flush", path_);
}

void OutputFile::publish() {
  sync();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with_errno("rename to", path_);
  ::close(std::exchange(fd_, -1));
  sync_folder(folder_of(path_));
}

void refuse_existing(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at cannot be created either, and is reported then
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    fail(STOWAGE_IO_ERROR, "{} exists; choose another name or ask for it to be replaced", path);
  }
}

}  // namespace stowage::source
