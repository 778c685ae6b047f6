// SPDX-License-Identifier: Apache-2.0
// Block checksums of shards that have them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "source/shard.hpp"

namespace stowage::source {

// Number of checksum blocks of a shard; 0 if it has no checksums. The last block may be short.
std::uint64_t block_count(const Shard& shard) noexcept;

// Checks whole blocks. `bytes` begin at byte `first_byte` of the token array, which is a block boundary, and end at one
// or at the array's end; checksums[i] is the stored checksum of block first_byte / block_bytes + i.
// Throws STOWAGE_DATA_ERROR that names the file, the first wrong block, its offset in the file, the checksum expected
// and the one found. Pure and thread-safe.
void verify_blocks(const Shard& shard, std::uint64_t first_byte, ByteView bytes,
                   std::span<const std::uint64_t> checksums);

}  // namespace stowage::source
