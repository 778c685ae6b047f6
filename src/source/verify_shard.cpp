// SPDX-License-Identifier: Apache-2.0
#include "source/verify_shard.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "source/input_file.hpp"
#include "source/tokens.hpp"
#include "source/verify.hpp"

namespace stowage::source {
namespace {

std::vector<std::uint64_t> read_checksums(const InputFile& file, const Contents& contents) {
  std::vector<std::uint64_t> checksums(block_count(contents.shard));
  if (contents.shard.block_bytes == 0) return checksums;
  file.read(contents.shard.checksum_base, std::as_writable_bytes(std::span(checksums)));
  const std::uint64_t found = hash64(std::as_bytes(std::span(checksums)));
  if (found != contents.block_checksums_checksum) {
    fail(STOWAGE_DATA_ERROR,
         "{}: block checksums ({} at offset {}): expected checksum {:016x} over them, found {:016x}; they are damaged",
         file.path(), checksums.size(), contents.shard.checksum_base, contents.block_checksums_checksum, found);
  }
  return checksums;
}

std::int64_t largest(ByteView raw, TokenType type) {
  std::int64_t top = -1;
  for (std::uint64_t i = 0; i < raw.size() / token_bytes(type); ++i) top = std::max(top, token_at(raw, type, i));
  return top;
}

}  // namespace

Verification verify_shard(const Contents& contents, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  constexpr std::uint64_t kAboutPiece = std::uint64_t{8} << 20;
  const Shard& shard = contents.shard;
  const std::uint64_t all = shard.tokens * token_bytes(shard.type);
  const std::uint64_t piece =
      shard.block_bytes == 0 ? kAboutPiece : round_up<std::uint64_t>(kAboutPiece, shard.block_bytes);
  const InputFile file(shard.token_file);
  const std::vector<std::uint64_t> checksums = read_checksums(file, contents);
  Verification verification{all, checksums.size(), -1};
  Bytes raw;
  for (std::uint64_t done = 0; done < all; done += raw.size()) {
    raw.resize(std::min(piece, all - done));
    file.read(shard.base + done, raw);
    if (shard.block_bytes != 0) {
      const std::uint64_t first = done / shard.block_bytes;
      verify_blocks(shard, done, raw,
                    std::span(checksums).subspan(first, div_ceil<std::uint64_t>(raw.size(), shard.block_bytes)));
    }
    check_tokens(raw, shard.type, shard.vocab_size == 0 ? kAnyVocabulary : shard.vocab_size, shard.token_file,
                 done / token_bytes(shard.type));
    verification.largest_token = std::max(verification.largest_token, largest(raw, shard.type));
    progress(done + raw.size(), all);
  }
  return verification;
}

}  // namespace stowage::source
