// SPDX-License-Identifier: Apache-2.0
// One writer at a time in a folder of checkpoints.
#pragma once

#include <string>

namespace stowage::checkpoint {

// Holds an exclusive lock (flock) on the file "writer.lock" of a folder, in which host and process id of the holder
// stand. The kernel gives it back when the process ends, whichever way; the file stays. Where the file system has no
// locks, says so in the log and goes on without.
class WriterLock {
 public:
  // Throws STOWAGE_STATE_ERROR that names the holder if there is another, in this process or elsewhere;
  // STOWAGE_IO_ERROR if the file cannot be made.
  explicit WriterLock(const std::string& folder);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  bool held() const noexcept { return held_; }  // false: the file system has no locks

 private:
  std::string path_;
  int fd_ = -1;
  bool held_ = false;
};

}  // namespace stowage::checkpoint
