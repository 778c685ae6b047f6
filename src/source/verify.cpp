// SPDX-License-Identifier: Apache-2.0
#include "source/verify.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"

namespace stowage::source {

std::uint64_t block_count(const Shard& shard) noexcept {
  if (shard.block_bytes == 0) return 0;
  return div_ceil<std::uint64_t>(shard.tokens * token_bytes(shard.type), shard.block_bytes);
}

void verify_blocks(const Shard& shard, std::uint64_t first_byte, ByteView bytes,
                   std::span<const std::uint64_t> checksums) {
  const std::uint64_t block_bytes = shard.block_bytes;
  STOWAGE_ASSERT(kAssertLight, block_bytes > 0 && first_byte % block_bytes == 0, "byte {} begins no block of {} bytes",
                 first_byte, block_bytes);
  STOWAGE_ASSERT(kAssertLight, checksums.size() == div_ceil<std::uint64_t>(bytes.size(), block_bytes),
                 "{} checksums for {} bytes in blocks of {}", checksums.size(), bytes.size(), block_bytes);
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const std::size_t begin = i * block_bytes;
    const ByteView block = bytes.subspan(begin, std::min<std::size_t>(block_bytes, bytes.size() - begin));
    if (const std::uint64_t found = hash64(block); found != checksums[i]) {
      fail(STOWAGE_DATA_ERROR,
           "{}: block {} ({} bytes at offset {}): expected checksum {:016x}, found {:016x}; the file is damaged",
           shard.token_file, first_byte / block_bytes + i, block.size(), shard.base + first_byte + begin, checksums[i],
           found);
    }
  }
}

}  // namespace stowage::source
