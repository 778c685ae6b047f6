// SPDX-License-Identifier: Apache-2.0
// Which files an import reads, in which order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stowage::importer {

enum class InputKind {
  jsonl,  // a JSON object a line, a document each
  text,   // the whole file is one document
};

struct Input {
  std::string path;
  InputKind kind = InputKind::text;
  std::uint64_t bytes = 0;
};

// Files as they are given; in place of a folder, the regular files below it whose name matches one of the shell
// patterns `globs`, sorted by path byte by byte (links to folders are not followed). Without `kind`, names ending in
// .jsonl or .ndjson are JSONL and all others text, but names of compressed files are refused.
// Throws STOWAGE_IO_ERROR for what is missing or cannot be listed and for a folder without a match,
// STOWAGE_INVALID_ARGUMENT for compressed files.
std::vector<Input> find_inputs(const std::vector<std::string>& paths, const std::vector<std::string>& globs,
                               std::optional<InputKind> kind);

}  // namespace stowage::importer
