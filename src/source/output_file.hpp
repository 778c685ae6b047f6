// SPDX-License-Identifier: Apache-2.0
// Files that appear under their name only when they are complete and on disk.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace stowage::source {

// A new file under a temporary name beside its final one. Removed by the destructor unless published. Not thread-safe.
class OutputFile {
 public:
  // Throws STOWAGE_IO_ERROR if it cannot be created.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const noexcept { return path_; }            // the final name
  const std::string& temporary() const noexcept { return temporary_; }  // its name until publish()
  int fd() const noexcept { return fd_; }                               // open for reading and writing

  // Appends through a buffer. After a failure do not publish the file.
  void append(ByteView bytes);
  void flush();                                         // hands the buffer to the operating system
  void write_at(std::uint64_t offset, ByteView bytes);  // unbuffered
  void sync();                                          // flush(), and on to the disk

  // Flushes to disk, renames to the final name (which is replaced) and flushes the folder.
  void publish();

 private:
  std::string path_;
  std::string temporary_;
  int fd_ = -1;
  std::uint64_t written_ = 0;
  Bytes buffer_;
};

// Throws STOWAGE_IO_ERROR if there is something under that name.
void refuse_existing(const std::string& path);

}  // namespace stowage::source
