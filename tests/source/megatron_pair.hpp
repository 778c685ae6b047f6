// SPDX-License-Identifier: Apache-2.0
// Megatron pairs made byte by byte, right or wrong on purpose, without the library's writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace stowage::test {

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Two sequences, three and two tokens of u16, each a document. A test changes the one field it is about.
struct MegatronPair {
  std::string magic = std::string("MMIDIDX\0\0", 9);
  std::uint64_t version = 1;
  std::uint8_t type_code = 8;
  std::vector<std::int32_t> lengths{3, 2};
  std::vector<std::int64_t> pointers{0, 6};
  std::vector<std::int64_t> documents{0, 1, 2};
  std::string modes;
  std::vector<std::uint16_t> tokens{10, 11, 12, 20, 21};

  std::string index() const {
    std::string out = magic;
    put(out, version);
    put(out, type_code);
    put(out, std::uint64_t{lengths.size()});
    put(out, std::uint64_t{documents.size()});
    for (const std::int32_t length : lengths) put(out, length);
    for (const std::int64_t pointer : pointers) put(out, pointer);
    for (const std::int64_t boundary : documents) put(out, boundary);
    return out + modes;
  }

  std::string raw_tokens() const {
    std::string out;
    for (const std::uint16_t token : tokens) put(out, token);
    return out;
  }

  // Writes both files and returns their prefix.
  std::string write(const TemporaryFolder& folder, const std::string& name = "pair") const {
    folder.write(name + ".idx", index());
    folder.write(name + ".bin", raw_tokens());
    return folder.file(name);
  }
};

}  // namespace stowage::test
