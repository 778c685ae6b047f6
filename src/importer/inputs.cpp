// SPDX-License-Identifier: Apache-2.0
#include "importer/inputs.hpp"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"

namespace stowage::importer {

namespace fs = std::filesystem;

namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

InputKind kind_by_name(const fs::path& path) {
  constexpr std::array<std::string_view, 2> json_lines{".jsonl", ".ndjson"};
  constexpr std::array<std::string_view, 5> compressed{".gz", ".zst", ".xz", ".bz2", ".zip"};
  const std::string extension = path.extension().string();
  if (contains(compressed, extension)) {
    fail(STOWAGE_INVALID_ARGUMENT, "{}: compressed input cannot be imported; decompress it first", path.string());
  }
  return contains(json_lines, extension) ? InputKind::jsonl : InputKind::text;
}

Input make_input(const fs::path& path, std::optional<InputKind> kind) {
  return {path.string(), kind ? *kind : kind_by_name(path), fs::file_size(path)};
}

bool matches(const fs::path& path, const std::vector<std::string>& globs) {
  const std::string name = path.filename().string();
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

std::vector<Input> find_below(const fs::path& folder, const std::vector<std::string>& globs,
                              std::optional<InputKind> kind) {
  std::vector<Input> inputs;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (matches(entry.path(), globs) && entry.is_regular_file()) inputs.push_back(make_input(entry.path(), kind));
  }
  if (inputs.empty()) {
    fail(STOWAGE_IO_ERROR, "{}: no file below this folder matches {}; choose others with --glob", folder.string(),
         fmt::join(globs, " or "));
  }
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
  return inputs;
}

}  // namespace

std::vector<Input> find_inputs(const std::vector<std::string>& paths, const std::vector<std::string>& globs,
                               std::optional<InputKind> kind) try {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    if (fs::is_directory(path)) {
      const std::vector<Input> found = find_below(path, globs, kind);
      inputs.insert(inputs.end(), found.begin(), found.end());
    } else {
      inputs.push_back(make_input(path, kind));
    }
  }
  return inputs;
} catch (const fs::filesystem_error& error) {
  fail(STOWAGE_IO_ERROR, "cannot read {}: {}", error.path1().string(), error.code().message());
}

}  // namespace stowage::importer
