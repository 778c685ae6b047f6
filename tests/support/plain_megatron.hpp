// SPDX-License-Identifier: Apache-2.0
// A reader of Megatron pairs that shares nothing with the library: what is in the files, without any check.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace stowage::test {

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

struct PlainMegatron {
  std::vector<std::vector<std::int64_t>> sequences;
  std::vector<std::int64_t> documents;  // first sequence of each, and their number
};

// Token types u16 (code 8) and i32 (code 4).
inline PlainMegatron read_plain_megatron(const std::string& prefix) {
  const std::string idx = read_file(prefix + ".idx");
  const std::string bin = read_file(prefix + ".bin");
  const auto at = [](const std::string& bytes, std::size_t offset, auto value) {
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
  };
  const bool narrow = idx[17] == 8;
  const auto count = at(idx, 18, std::uint64_t{});
  const auto boundaries = at(idx, 26, std::uint64_t{});
  PlainMegatron result;
  for (std::uint64_t s = 0; s < count; ++s) {
    const auto length = at(idx, 34 + 4 * s, std::int32_t{});
    auto offset = static_cast<std::size_t>(at(idx, 34 + 4 * count + 8 * s, std::int64_t{}));
    std::vector<std::int64_t> tokens;
    for (std::int32_t i = 0; i < length; ++i, offset += narrow ? 2 : 4) {
      tokens.push_back(narrow ? at(bin, offset, std::uint16_t{}) : at(bin, offset, std::int32_t{}));
    }
    result.sequences.push_back(std::move(tokens));
  }
  for (std::uint64_t d = 0; d < boundaries; ++d) {
    result.documents.push_back(at(idx, 34 + 12 * count + 8 * d, std::int64_t{}));
  }
  return result;
}

}  // namespace stowage::test
