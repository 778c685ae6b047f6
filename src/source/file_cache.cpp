// SPDX-License-Identifier: Apache-2.0
#include "source/file_cache.hpp"

#include "base/error.hpp"

namespace stowage::source {

FileCache::FileCache(std::uint32_t capacity) : capacity_(capacity) {
  if (capacity == 0) fail(STOWAGE_INVALID_ARGUMENT, "the number of open files must be >= 1, got 0");
}

const InputFile& FileCache::file(const std::string& path) {
  if (const auto found = by_path_.find(path); found != by_path_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return recent_.front();
  }
  while (recent_.size() >= capacity_) {
    by_path_.erase(recent_.back().path());
    recent_.pop_back();
  }
  recent_.emplace_front(path);
  by_path_.emplace(recent_.front().path(), recent_.begin());
  return recent_.front();
}

void FileCache::close(const std::string& path) {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return;
  const auto file = found->second;
  by_path_.erase(found);
  recent_.erase(file);
}

}  // namespace stowage::source
