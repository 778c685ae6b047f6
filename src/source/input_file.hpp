// SPDX-License-Identifier: Apache-2.0
// A regular file opened for reading, and reads that are complete or an error.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace stowage::source {

// Fills `out` from `offset` of an open descriptor. `path` is for messages. Throws STOWAGE_DATA_ERROR with file, offset,
// wanted and got if the file ends before, STOWAGE_IO_ERROR if the operating system refuses. Thread-safe.
void pread_exact(int fd, const std::string& path, std::uint64_t offset, ByteSpan out);

// Move-only owner of a read-only descriptor.
class InputFile {
 public:
  // Throws STOWAGE_IO_ERROR if the file is missing, unreadable or no regular file.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  int fd() const noexcept { return fd_; }
  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }  // bytes, when it was opened

  void read(std::uint64_t offset, ByteSpan out) const { pread_exact(fd_, path_, offset, out); }

 private:
  std::string path_;
  int fd_;
  std::uint64_t size_ = 0;
};

}  // namespace stowage::source
