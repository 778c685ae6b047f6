// SPDX-License-Identifier: Apache-2.0
// What every rank knows of each shard: where its tokens lie. How they are cut into sequences stays with the rank that
// opened the shard (source::Shard).
#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "source/shard.hpp"

namespace stowage::read {

struct ShardInfo {
  std::string file;                 // that holds the tokens
  std::uint64_t base = 0;           // byte offset of the token array in it
  std::uint64_t bytes = 0;          // of the token array
  std::uint32_t block_bytes = 0;    // covered by one checksum; 0 = no checksums
  std::uint64_t checksum_base = 0;  // byte offset of the checksum of block 0
  source::TokenType type = source::TokenType::u16;
  std::uint64_t vocab_size = 0;  // token ids are below it by the shard's own word; 0 = it does not say
  config::Format format = config::Format::megatron;
};

// What of an opened shard is told to the other ranks.
ShardInfo info_of(const source::Shard& shard, config::Format format);

}  // namespace stowage::read
