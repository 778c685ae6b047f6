// SPDX-License-Identifier: Apache-2.0
#include "read/shard_cache.hpp"

#include <unistd.h>

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"

namespace stowage::read {
namespace {

std::uint64_t add_saturated(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

}  // namespace

ShardCache::ShardCache(std::span<const ShardInfo> shards, source::FileCache& files, const config::Cache& choice)
    : shards_(shards), files_(files), entries_(shards.size()) {
  try {
    folder_.emplace(choice.directory, choice.bytes);
    copier_.emplace(*folder_);
  } catch (...) {
    log().warn("the cache {} is not used: {}; data files are read from where they are", choice.directory,
               current_exception_status().second);
    folder_.reset();
  }
}

const std::string& ShardCache::path_of(std::uint32_t shard) {
  const std::string& original = shards_[shard].file;
  if (!folder_) return original;
  Entry& entry = entries_[shard];
  if (!entry.file) {
    entry.file = identify(original);
    if (!entry.file) return original;  // opening it says why
    entry.copy = folder_->path_of(entry.file->key());
    entry.due = entry.file->size;
  }
  const bool used = std::exchange(entry.used, folder_->use(entry.copy, entry.file->size));
  if (entry.used) return entry.copy;
  if (used) {
    files_.close(entry.copy);
    if (!std::exchange(said_gone_, true)) {
      log().warn("the copy of {} is gone from {}; files whose copies are gone are read from where they are", original,
                 folder_->directory());
    }
  }
  return original;
}

void ShardCache::count(std::uint32_t shard, std::uint64_t bytes) {
  Entry& entry = entries_[shard];
  if (!entry.file) return;
  entry.cost = add_saturated(entry.cost, add_saturated(bytes, kReadCosts));
  if (entry.cost < entry.due) return;
  entry.cost = 0;
  entry.due = add_saturated(entry.due, entry.due);
  copier_->ask(*entry.file);
}

void ShardCache::distrust(std::uint32_t shard, const std::string& why) {
  Entry& entry = entries_[shard];
  log().warn("the copy of {} in the cache is removed, and the file read from where it is: {}", shards_[shard].file,
             why);
  files_.close(entry.copy);
  entry.used = false;
  ::unlink(entry.copy.c_str());
}

}  // namespace stowage::read
