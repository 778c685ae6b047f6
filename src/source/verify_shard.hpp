// SPDX-License-Identifier: Apache-2.0
// Reads a whole shard and checks all that can be checked of it.
#pragma once

#include <cstdint>
#include <functional>

#include "source/contents.hpp"

namespace stowage::source {

struct Verification {
  std::uint64_t bytes = 0;          // of tokens, read and checked
  std::uint64_t blocks = 0;         // whose checksums were compared; 0 where the format has none
  std::int64_t largest_token = -1;  // -1 without tokens
};

// Checks the block checksums and the checksum over them, and that every id is >= 0 and below the vocabulary that the
// shard declares. Calls progress(bytes done, bytes in all) now and then. Throws STOWAGE_DATA_ERROR that names the first
// thing that is wrong. Memory: a few MiB, and 8 bytes a block.
Verification verify_shard(const Contents& contents, const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace stowage::source
