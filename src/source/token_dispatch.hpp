// SPDX-License-Identifier: Apache-2.0
// From a TokenType to the C++ type it stands for.
#pragma once

#include "base/error.hpp"
#include "source/shard.hpp"

namespace stowage::source {

// Calls visitor(T{}) with the integer type T of `type` and returns what it returns.
template <typename Visitor>
constexpr auto visit_token_type(TokenType type, Visitor&& visitor) {
  switch (type) {
    case TokenType::u8:
      return visitor(std::uint8_t{});
    case TokenType::i8:
      return visitor(std::int8_t{});
    case TokenType::u16:
      return visitor(std::uint16_t{});
    case TokenType::i16:
      return visitor(std::int16_t{});
    case TokenType::i32:
      return visitor(std::int32_t{});
    case TokenType::u32:
      return visitor(std::uint32_t{});
    case TokenType::i64:
      return visitor(std::int64_t{});
  }
  fail(STOWAGE_INTERNAL_ERROR, "unknown token type {}", static_cast<int>(type));
}

}  // namespace stowage::source
