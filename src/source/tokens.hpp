// SPDX-License-Identifier: Apache-2.0
// Raw little-endian tokens as they lie in a shard: range checks and conversion. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "source/shard.hpp"

namespace stowage::source {

// For check_tokens where no vocabulary was declared: only negative ids are refused.
inline constexpr std::uint64_t kAnyVocabulary = std::numeric_limits<std::uint64_t>::max();

// The largest id that the type holds.
std::uint64_t max_token(TokenType type);

// The id of one token, at any alignment.
std::int64_t token_at(ByteView raw, TokenType type, std::uint64_t index);

// Throws STOWAGE_DATA_ERROR unless every id is in [0, vocab_size); names the file, the first offender and its place.
// `raw` holds whole tokens, the first of which is token `first_token` of the shard's array in `token_file`.
void check_tokens(ByteView raw, TokenType type, std::uint64_t vocab_size, const std::string& token_file,
                  std::uint64_t first_token);

// out[i] = token i; out.size() * token_bytes(type) == raw.size().
void widen(ByteView raw, TokenType type, std::span<std::int64_t> out);

}  // namespace stowage::source
