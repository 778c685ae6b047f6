// SPDX-License-Identifier: Apache-2.0
#include "source/shard.hpp"

#include "source/contents.hpp"

namespace stowage::source {

std::uint32_t token_bytes(TokenType type) noexcept {
  switch (type) {
    case TokenType::u8:
    case TokenType::i8:
      return 1;
    case TokenType::u16:
    case TokenType::i16:
      return 2;
    case TokenType::i32:
    case TokenType::u32:
      return 4;
    case TokenType::i64:
      return 8;
  }
  return 0;
}

const char* token_type_name(TokenType type) noexcept {
  switch (type) {
    case TokenType::u8:
      return "u8";
    case TokenType::i8:
      return "i8";
    case TokenType::u16:
      return "u16";
    case TokenType::i16:
      return "i16";
    case TokenType::i32:
      return "i32";
    case TokenType::u32:
      return "u32";
    case TokenType::i64:
      return "i64";
  }
  return "unknown";
}

Shard open_megatron(const std::string& path, config::SampleUnit unit) {
  return cut(read_megatron(path), unit);
}

Shard open_hdf5(const std::string& path, config::SampleUnit unit) {
  return cut(read_hdf5(path), unit);
}

}  // namespace stowage::source
