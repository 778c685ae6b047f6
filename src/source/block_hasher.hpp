// SPDX-License-Identifier: Apache-2.0
// Checksums of a stream of bytes, block by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash.hpp"

namespace stowage::source {

// XXH3-64 of each `block_bytes` bytes added; the last block may be short.
class BlockHasher {
 public:
  explicit BlockHasher(std::size_t block_bytes) : block_bytes_(block_bytes) { partial_.reserve(block_bytes); }

  void add(ByteView bytes) {
    while (!bytes.empty()) {
      const ByteView piece = bytes.first(std::min(block_bytes_ - partial_.size(), bytes.size()));
      partial_.insert(partial_.end(), piece.begin(), piece.end());
      bytes = bytes.subspan(piece.size());
      if (partial_.size() == block_bytes_) end_block();
    }
  }

  // The checksums of everything added. Nothing may be added afterwards.
  const std::vector<std::uint64_t>& finish() {
    if (!partial_.empty()) end_block();
    return checksums_;
  }

 private:
  void end_block() {
    checksums_.push_back(hash64(partial_));
    partial_.clear();
  }

  std::size_t block_bytes_;
  Bytes partial_;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace stowage::source
