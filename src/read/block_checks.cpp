// SPDX-License-Identifier: Apache-2.0
#include "read/block_checks.hpp"

#include <algorithm>

#include "base/narrow.hpp"
#include "source/verify.hpp"

namespace stowage::read {
namespace {

// Read at least so many at a time: one page. Where extents are dense, that saves most of the reads.
constexpr std::uint64_t kAtOnce = 512;

}  // namespace

std::uint64_t BlockChecks::check(const Extent& extent, ByteView bytes, const std::string& path) {
  const ShardInfo& shard = shards_[extent.shard];
  if (shard.block_bytes == 0) return 0;
  const std::uint64_t count = div_ceil<std::uint64_t>(bytes.size(), shard.block_bytes);
  source::Shard described;
  described.token_file = shard.file;
  described.base = shard.base;
  described.block_bytes = shard.block_bytes;
  source::verify_blocks(described, extent.begin, bytes,
                        stored(extent.shard, extent.begin / shard.block_bytes, count, path));
  return count;
}

std::span<const std::uint64_t> BlockChecks::stored(std::uint32_t shard, std::uint64_t first, std::uint64_t count,
                                                   const std::string& path) {
  const bool kept =
      shard == kept_shard_ && first >= kept_first_ && first + count <= kept_first_ + kept_.size() && path == kept_path_;
  if (!kept) {
    const ShardInfo& info = shards_[shard];
    const std::uint64_t all = div_ceil<std::uint64_t>(info.bytes, info.block_bytes);
    kept_.resize(std::min(std::max(count, kAtOnce), all - first));
    kept_shard_ = shard;
    kept_first_ = first;
    kept_path_ = path;
    try {
      files_.file(path).read(info.checksum_base + first * sizeof(std::uint64_t),
                             std::as_writable_bytes(std::span(kept_)));
    } catch (...) {
      kept_.clear();
      throw;
    }
  }
  return std::span(kept_).subspan(first - kept_first_, count);
}

}  // namespace stowage::read
