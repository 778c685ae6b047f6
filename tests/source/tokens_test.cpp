// SPDX-License-Identifier: Apache-2.0
#include "source/tokens.hpp"

#include <cstring>

#include "support/errors.hpp"

namespace stowage::source {
namespace {

template <typename T>
Bytes raw_of(const std::vector<T>& tokens) {
  Bytes raw(tokens.size() * sizeof(T));
  std::memcpy(raw.data(), tokens.data(), raw.size());
  return raw;
}

TEST(CheckTokens, AcceptsEveryIdBelowTheVocabulary) {
  const Bytes raw = raw_of<std::uint16_t>({0, 1, 50256});

  EXPECT_NO_THROW(check_tokens(raw, TokenType::u16, 50257, "x.bin", 0));
}

TEST(CheckTokens, NamesTheFirstIdPastTheVocabularyWherever) {
  for (const std::size_t bad : {0UL, 1UL, 255UL, 256UL, 257UL, 600UL, 999UL}) {
    std::vector<std::uint16_t> tokens(1000, 7);
    tokens[bad] = 100;
    tokens.back() = 200;  // a later offender is not the first
    const std::string found = bad == 999 ? "200" : "100";

    EXPECT_ERROR(check_tokens(raw_of(tokens), TokenType::u16, 100, "x.bin", 5000), STOWAGE_DATA_ERROR,
                 "x.bin: token " + std::to_string(5000 + bad) + ": expected an id in [0, 100), found " + found +
                     "; correct vocab_size or rebuild the file with the tokenizer that belongs to it");
  }
}

TEST(CheckTokens, RefusesNegativeIdsOfEverySignedType) {
  EXPECT_ERROR(check_tokens(raw_of<std::int8_t>({1, -1}), TokenType::i8, 100, "x.bin", 0), STOWAGE_DATA_ERROR,
               "token 1: expected an id in [0, 100), found -1");
  EXPECT_ERROR(check_tokens(raw_of<std::int16_t>({1, -2}), TokenType::i16, 100, "x.bin", 0), STOWAGE_DATA_ERROR,
               "found -2");
  EXPECT_ERROR(check_tokens(raw_of<std::int32_t>({1, -3}), TokenType::i32, 100, "x.bin", 0), STOWAGE_DATA_ERROR,
               "found -3");
  EXPECT_ERROR(check_tokens(raw_of<std::int64_t>({1, -4}), TokenType::i64, 100, "x.bin", 0), STOWAGE_DATA_ERROR,
               "found -4");
}

TEST(CheckTokens, WithoutAVocabularyOnlyNegativeIdsAreRefused) {
  EXPECT_NO_THROW(check_tokens(raw_of<std::int32_t>({2147483647}), TokenType::i32, kAnyVocabulary, "x.bin", 0));
  EXPECT_NO_THROW(check_tokens(raw_of<std::uint32_t>({4294967295U}), TokenType::u32, kAnyVocabulary, "x.bin", 0));
  EXPECT_ERROR(check_tokens(raw_of<std::int32_t>({-1}), TokenType::i32, kAnyVocabulary, "x.bin", 3), STOWAGE_DATA_ERROR,
               "x.bin: token 3: expected an id >= 0, found -1");
}

TEST(CheckTokens, AVocabularyLargerThanTheTypeAllowsEveryId) {
  EXPECT_NO_THROW(check_tokens(raw_of<std::uint16_t>({65535}), TokenType::u16, 119547, "x.bin", 0));
}

TEST(CheckTokens, AnEmptyVocabularyIsAnArgumentError) {
  EXPECT_ERROR(check_tokens(raw_of<std::uint16_t>({0}), TokenType::u16, 0, "x.bin", 0), STOWAGE_INVALID_ARGUMENT,
               "the vocabulary size must be >= 1, got 0");
}

TEST(CheckTokens, BytesNeedNoAlignment) {
  Bytes raw = raw_of<std::uint32_t>({1, 2, 3});
  raw.insert(raw.begin(), std::byte{0xff});

  EXPECT_NO_THROW(check_tokens(ByteView(raw).subspan(1), TokenType::u32, 4, "x.bin", 0));
}

TEST(Widen, GivesTheSameIdsInEveryType) {
  const std::vector<std::int64_t> expected{0, 1, 127};
  std::vector<std::int64_t> out(3);
  const auto widened = [&](const Bytes& raw, TokenType type) {
    widen(raw, type, out);
    return out;
  };

  EXPECT_EQ(widened(raw_of<std::uint8_t>({0, 1, 127}), TokenType::u8), expected);
  EXPECT_EQ(widened(raw_of<std::int8_t>({0, 1, 127}), TokenType::i8), expected);
  EXPECT_EQ(widened(raw_of<std::uint16_t>({0, 1, 127}), TokenType::u16), expected);
  EXPECT_EQ(widened(raw_of<std::int16_t>({0, 1, 127}), TokenType::i16), expected);
  EXPECT_EQ(widened(raw_of<std::int32_t>({0, 1, 127}), TokenType::i32), expected);
  EXPECT_EQ(widened(raw_of<std::uint32_t>({0, 1, 127}), TokenType::u32), expected);
  EXPECT_EQ(widened(raw_of<std::int64_t>({0, 1, 127}), TokenType::i64), expected);
}

TEST(Widen, UnsignedIdsStayPositive) {
  std::vector<std::int64_t> out(1);

  widen(raw_of<std::uint16_t>({65535}), TokenType::u16, out);

  EXPECT_EQ(out[0], 65535);
}

TEST(Widen, BytesThatDoNotFitTheOutputAreAnInternalError) {
  std::vector<std::int64_t> out(2);

  EXPECT_ERROR(widen(raw_of<std::uint16_t>({1}), TokenType::u16, out), STOWAGE_INTERNAL_ERROR,
               "2 bytes for 2 tokens of 2 bytes");
}

}  // namespace
}  // namespace stowage::source
