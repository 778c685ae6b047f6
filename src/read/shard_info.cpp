// SPDX-License-Identifier: Apache-2.0
#include "read/shard_info.hpp"

#include "base/narrow.hpp"

namespace stowage::read {

ShardInfo info_of(const source::Shard& shard, config::Format format) {
  return {.file = shard.token_file,
          .base = shard.base,
          .bytes = checked_mul<std::uint64_t>(shard.tokens, source::token_bytes(shard.type), "bytes of a shard"),
          .block_bytes = shard.block_bytes,
          .checksum_base = shard.checksum_base,
          .type = shard.type,
          .format = format};
}

}  // namespace stowage::read
