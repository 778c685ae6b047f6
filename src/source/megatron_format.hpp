// SPDX-License-Identifier: Apache-2.0
// The layout of a Megatron index (.idx), little-endian and unaligned:
//
//   offset  0  9 bytes "MMIDIDX\0\0"    18  u64 sequences S
//           9  u64 version = 1         26  u64 document boundaries D = documents + 1
//          17  u8 token type code      34  i32[S] lengths, i64[S] byte offsets into .bin, i64[D] first sequence of each
//                                          document (the last is S), and, if multimodal, i8[S] modes
//
// The .bin holds the tokens of all sequences one after the other, without header.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "source/shard.hpp"

namespace stowage::source::megatron {

inline constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
inline constexpr std::uint64_t kVersion = 1;
inline constexpr std::uint64_t kVersionOffset = 9;
inline constexpr std::uint64_t kTypeOffset = 17;
inline constexpr std::uint64_t kSequencesOffset = 18;
inline constexpr std::uint64_t kBoundariesOffset = 26;
inline constexpr std::uint64_t kHeaderBytes = 34;

// Codes 6 and 7 are floating point; u32 has none.
inline constexpr std::array<std::pair<std::uint8_t, TokenType>, 6> kTypeCodes{{{1, TokenType::u8},
                                                                               {2, TokenType::i8},
                                                                               {3, TokenType::i16},
                                                                               {4, TokenType::i32},
                                                                               {5, TokenType::i64},
                                                                               {8, TokenType::u16}}};

inline std::string bin_path(const std::string& prefix) {
  return prefix + ".bin";
}
inline std::string idx_path(const std::string& prefix) {
  return prefix + ".idx";
}

// The common prefix of a pair, from the prefix itself or from either file's name.
inline std::string prefix_of(const std::string& path) {
  return path.ends_with(".bin") || path.ends_with(".idx") ? path.substr(0, path.size() - 4) : path;
}

}  // namespace stowage::source::megatron
