// SPDX-License-Identifier: Apache-2.0
// Block checksums of what a reader read.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "read/read_plan.hpp"
#include "source/file_cache.hpp"

namespace stowage::read {

// Compares `bytes`, the content of `extent` (whole blocks), with the checksums stored in the shard's file, which are
// read through `files`. Returns the number of blocks, 0 if the shard has no checksums. Throws STOWAGE_DATA_ERROR that
// names file, block, offset, expected and found.
std::uint64_t check_blocks(const ShardInfo& shard, const Extent& extent, ByteView bytes, source::FileCache& files);

}  // namespace stowage::read
