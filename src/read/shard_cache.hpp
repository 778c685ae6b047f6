// SPDX-License-Identifier: Apache-2.0
// Where this process reads the shards' files: from where they are, or from copies on the node of those that are read
// much. Which of the two changes nothing but the time it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "read/cache_folder.hpp"
#include "read/shard_copier.hpp"
#include "read/shard_info.hpp"
#include "source/file_cache.hpp"

namespace stowage::read {

// A file is copied once its reads have cost as much as its copy would have: each read counts as its bytes and
// kReadCosts, the copy as the bytes of the file. So the copy at most doubles what a file costs, and is made the sooner
// the smaller the reads are. Each time that it is due and comes to nothing (no room, deleted again) twice as much must
// be read before the next attempt. No member throws. Not thread-safe.
class ShardCache {
 public:
  // What could have been read in order, in the time that a read at a random place waits for its first byte.
  static constexpr std::uint64_t kReadCosts = std::uint64_t{256} << 10;

  // Borrows the shards, and the open files, of which it closes those that are gone. A folder that cannot be used is
  // said in the log, and no copy is made.
  ShardCache(std::span<const ShardInfo> shards, source::FileCache& files, const config::Cache& choice);

  // The file to read the shard from now: a complete copy, by whichever process, or its own. Looks into the folder, so
  // ask once for reads that follow each other. Valid until the next call.
  const std::string& path_of(std::uint32_t shard);

  // So many bytes of the shard were read from its own file, in one read.
  void count(std::uint32_t shard, std::uint64_t bytes);

  // Its copy could not be read, or not as it should be: removes it.
  void distrust(std::uint32_t shard, const std::string& why);

 private:
  struct Entry {
    std::optional<FileIdentity> file;  // once it was looked at
    std::string copy;
    std::uint64_t cost = 0;  // of reads since the last attempt
    std::uint64_t due = 0;   // the cost at which a copy is asked for
    bool used = false;       // the copy was there when last looked
  };

  std::span<const ShardInfo> shards_;
  source::FileCache& files_;
  std::vector<Entry> entries_;  // [shards]
  bool said_gone_ = false;
  std::optional<CacheFolder> folder_;  // none: it cannot be used
  std::optional<ShardCopier> copier_;
};

}  // namespace stowage::read
