// SPDX-License-Identifier: Apache-2.0
// A copy that is being made.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace stowage::read {

// Owns a file under a temporary name and an exclusive lock (flock) on it, which tells other processes that somebody is
// at work on it: the kernel gives the lock back however the process ends. Removed by the destructor unless published.
class PartialCopy {
 public:
  // Makes the file `temporary`, which must not be there, `bytes` long, and takes its space where the file system can
  // do that beforehand. Throws STOWAGE_IO_ERROR.
  PartialCopy(std::string temporary, std::string name, std::uint64_t bytes);
  ~PartialCopy();
  PartialCopy(const PartialCopy&) = delete;
  PartialCopy& operator=(const PartialCopy&) = delete;

  // These throw STOWAGE_IO_ERROR.
  void write_at(std::uint64_t offset, ByteView bytes);
  void flush();    // to the device, so that a failing node cannot leave other content under the copy's name
  void publish();  // gives it its name

 private:
  void take_space(std::uint64_t bytes);

  std::string temporary_;
  std::string name_;
  int fd_;
};

// Whether a process is at work on a partial copy of this name. True also if that cannot be found out.
bool is_being_copied(const std::string& temporary) noexcept;

}  // namespace stowage::read
