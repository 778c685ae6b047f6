// SPDX-License-Identifier: Apache-2.0
// A small valid configuration and variations of it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "config/parse.hpp"

namespace stowage::config::test {

inline constexpr std::string_view kSmall =
    "steps: 10\n"
    "data_parallel: 2\n"
    "batch: {sequences: 8}\n"
    "micro_batch: {tokens: 128}\n"
    "sources:\n"
    "  - {name: books, format: megatron, path: data/books, weight: 1}\n"
    "  - {name: code, format: hdf5, path: [data/code-0.h5, data/code-1.h5], weight: 2.5}\n";

// kSmall with the first occurrence of `old_text` replaced.
inline std::string small_with(std::string_view old_text, std::string_view new_text) {
  std::string text(kSmall);
  const std::size_t at = text.find(old_text);
  if (at == std::string::npos) throw std::logic_error("not in the document: " + std::string(old_text));
  return text.replace(at, old_text.size(), new_text);
}

// All problems of the text as a user sees them.
inline std::string problems_of(std::string_view yaml) {
  return describe("demo.yaml", parse(yaml, "demo.yaml").problems);
}

}  // namespace stowage::config::test
