// SPDX-License-Identifier: Apache-2.0
#include "read/block_checks.hpp"

#include <vector>

#include "base/narrow.hpp"
#include "source/verify.hpp"

namespace stowage::read {

std::uint64_t check_blocks(const ShardInfo& shard, const Extent& extent, ByteView bytes, source::FileCache& files) {
  if (shard.block_bytes == 0) return 0;
  const std::uint64_t first = extent.begin / shard.block_bytes;
  const std::uint64_t count = div_ceil<std::uint64_t>(bytes.size(), shard.block_bytes);
  std::vector<std::uint64_t> checksums(count);
  files.file(shard.file)
      .read(shard.checksum_base + first * sizeof(std::uint64_t), std::as_writable_bytes(std::span(checksums)));
  source::Shard described;
  described.token_file = shard.file;
  described.base = shard.base;
  described.block_bytes = shard.block_bytes;
  source::verify_blocks(described, extent.begin, bytes, checksums);
  return count;
}

}  // namespace stowage::read
