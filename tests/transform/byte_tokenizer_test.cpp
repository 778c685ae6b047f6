// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "transform/tokenizer.hpp"

namespace stowage::transform {
namespace {

RC_GTEST_PROP(ByteTokenizerProperty, TokensAreTheBytesOfAnyText, (const std::string& text)) {
  std::vector<std::uint32_t> tokens;

  make_byte_tokenizer()->encode(text, tokens);

  std::string back;
  for (const std::uint32_t token : tokens) back.push_back(static_cast<char>(static_cast<unsigned char>(token)));
  RC_ASSERT(back == text);
  RC_ASSERT(std::all_of(tokens.begin(), tokens.end(), [](std::uint32_t token) { return token < 256; }));
}

TEST(ByteTokenizer, PassesUtf8ThroughAsBytes) {
  std::vector<std::uint32_t> tokens;

  make_byte_tokenizer()->encode("a\xC3\xA9\xE2\x82\xAC\xFF", tokens);

  EXPECT_EQ(tokens, (std::vector<std::uint32_t>{0x61, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xFF}));
}

TEST(ByteTokenizer, AppendsToWhatIsThere) {
  std::vector<std::uint32_t> tokens{256};

  make_byte_tokenizer()->encode("", tokens);
  make_byte_tokenizer()->encode(std::string_view("\0b", 2), tokens);

  EXPECT_EQ(tokens, (std::vector<std::uint32_t>{256, 0, 98}));
}

TEST(ByteTokenizer, EndOfDocumentIsTheLastIdOfTheVocabulary) {
  const auto tokenizer = make_byte_tokenizer();

  EXPECT_EQ(tokenizer->name(), "byte");
  EXPECT_EQ(tokenizer->end_of_document(), 256U);
  EXPECT_EQ(tokenizer->vocab_size(), 257U);
}

}  // namespace
}  // namespace stowage::transform
