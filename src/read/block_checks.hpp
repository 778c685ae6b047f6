// SPDX-License-Identifier: Apache-2.0
// Block checksums of what a reader read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "read/read_plan.hpp"
#include "source/file_cache.hpp"

namespace stowage::read {

// Compares content with the checksums stored in the shards' files. Extents are best given in file order: checksums are
// read some pages at a time and kept until others are needed. Borrows both. Not thread-safe.
class BlockChecks {
 public:
  BlockChecks(std::span<const ShardInfo> shards, source::FileCache& files) : shards_(shards), files_(files) {}

  // `bytes` is the content of `extent` (whole blocks), read from the file at `path`: the shard's or a copy of it, where
  // the checksums are read too. Returns the number of blocks, 0 if the shard has no checksums.
  // Throws STOWAGE_DATA_ERROR that names file, block, offset, expected and found; as FileCache and InputFile do.
  std::uint64_t check(const Extent& extent, ByteView bytes, const std::string& path);

 private:
  // The stored checksums of blocks [first, first + count); valid until the next call.
  std::span<const std::uint64_t> stored(std::uint32_t shard, std::uint64_t first, std::uint64_t count,
                                        const std::string& path);

  std::span<const ShardInfo> shards_;
  source::FileCache& files_;
  std::vector<std::uint64_t> kept_;  // of kept_shard_, from block kept_first_ on, as they stand in kept_path_
  std::string kept_path_;
  std::uint32_t kept_shard_ = 0;
  std::uint64_t kept_first_ = 0;
};

}  // namespace stowage::read
