// SPDX-License-Identifier: Apache-2.0
#include "source/tokens.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/assert.hpp"
#include "source/token_dispatch.hpp"

namespace stowage::source {
namespace {

static_assert(std::endian::native == std::endian::little, "tokens are read in place and lie little-endian in files");

template <typename T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Whether all of exactly N tokens are <= limit when read as unsigned: a negative id is then a large one. The fixed
// count lets the compiler use vector instructions at -O2.
template <typename U, std::size_t N>
bool all_within(const std::byte* raw, U limit) noexcept {
  U above = 0;
  for (std::size_t i = 0; i < N; ++i) above = static_cast<U>(above | (load<U>(raw + i * sizeof(U)) > limit ? 1 : 0));
  return above == 0;
}

// The index of the first token above the limit, or `count`.
template <typename U>
std::size_t first_above(const std::byte* raw, std::size_t count, U limit) noexcept {
  constexpr std::size_t kBlock = 256;
  std::size_t i = 0;
  while (i + kBlock <= count && all_within<U, kBlock>(raw + i * sizeof(U), limit)) i += kBlock;
  while (i < count && load<U>(raw + i * sizeof(U)) <= limit) ++i;
  return i;
}

template <typename T>
void widen_as(ByteView raw, std::span<std::int64_t> out) {
  STOWAGE_ASSERT(kAssertLight, raw.size() == out.size() * sizeof(T), "{} bytes for {} tokens of {} bytes", raw.size(),
                 out.size(), sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load<T>(raw.data() + i * sizeof(T));
}

}  // namespace

std::uint64_t max_token(TokenType type) {
  return visit_token_type(
      type, [](auto zero) { return static_cast<std::uint64_t>(std::numeric_limits<decltype(zero)>::max()); });
}

std::int64_t token_at(ByteView raw, TokenType type, std::uint64_t index) {
  return visit_token_type(type, [&](auto zero) {
    return static_cast<std::int64_t>(load<decltype(zero)>(raw.data() + index * sizeof(zero)));
  });
}

void check_tokens(ByteView raw, TokenType type, std::uint64_t vocab_size, const std::string& token_file,
                  std::uint64_t first_token) {
  const std::size_t count = raw.size() / token_bytes(type);
  if (vocab_size == 0 && count > 0) fail(STOWAGE_INVALID_ARGUMENT, "the vocabulary size must be >= 1, got 0");
  const std::uint64_t limit = std::min(vocab_size - 1, max_token(type));
  const std::size_t bad = visit_token_type(type, [&](auto zero) {
    using Unsigned = std::make_unsigned_t<decltype(zero)>;
    return first_above<Unsigned>(raw.data(), count, static_cast<Unsigned>(limit));
  });
  if (bad == count) return;
  const std::int64_t found = token_at(raw, type, bad);
  if (vocab_size == kAnyVocabulary) {
    fail(STOWAGE_DATA_ERROR, "{}: token {}: expected an id >= 0, found {}", token_file, first_token + bad, found);
  }
  fail(STOWAGE_DATA_ERROR,
       "{}: token {}: expected an id in [0, {}), found {}; correct vocab_size or rebuild the file with the tokenizer "
       "that belongs to it",
       token_file, first_token + bad, vocab_size, found);
}

void widen(ByteView raw, TokenType type, std::span<std::int64_t> out) {
  visit_token_type(type, [&](auto zero) { widen_as<decltype(zero)>(raw, out); });
}

}  // namespace stowage::source
