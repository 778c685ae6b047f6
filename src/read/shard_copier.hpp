// SPDX-License-Identifier: Apache-2.0
// Copies data files into a cache folder, one after the other, beside the reading.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "read/cache_folder.hpp"

namespace stowage::read {

// One thread of plain file accesses, in order and large. It takes no signals: handlers run where they always did, and
// a file size limit (RLIMIT_FSIZE) is an error like others. Whatever goes wrong is said in the log and ends the
// copying, not the run.
class ShardCopier {
 public:
  // Borrows the folder. Throws std::system_error if there is no thread to be had.
  explicit ShardCopier(const CacheFolder& folder);
  ~ShardCopier();  // gives up the copy that is being made
  ShardCopier(const ShardCopier&) = delete;
  ShardCopier& operator=(const ShardCopier&) = delete;

  // Copies the file some time, unless it is no longer as it was, there is a copy, or the folder is full.
  void ask(FileIdentity file);

 private:
  void run() noexcept;
  void copy(const FileIdentity& file);
  std::unique_ptr<PartialCopy> reserve(const FileIdentity& file);
  bool stopping();
  bool pause();  // a moment; false: stopping

  const CacheFolder& folder_;
  bool said_full_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FileIdentity> asked_;  // under mutex_, as stop_ is
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace stowage::read
