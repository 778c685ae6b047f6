// SPDX-License-Identifier: Apache-2.0
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "source/shard.hpp"

namespace stowage::source {
namespace {

constexpr std::string_view kIndexSuffix = ".idx";
constexpr std::string_view kTokenSuffix = ".bin";

// A path that names a file as it is, or a pair by its prefix, is no pattern, whatever characters it or its folders
// have.
bool is_glob(const std::string& path) {
  std::error_code ignored;
  return path.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(path, ignored) &&
         !std::filesystem::exists(path + std::string(kIndexSuffix), ignored);
}

// Sorted by bytes: glob(3) itself sorts by locale, which may differ between ranks.
std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  const std::unique_ptr<glob_t, decltype(&::globfree)> owner(&found, &::globfree);
  if (result == GLOB_NOSPACE) throw std::bad_alloc();
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  std::ranges::sort(paths);
  return paths;
}

void drop_bin_beside_idx(std::vector<std::string>& paths) {
  const std::vector<std::string> all = paths;
  std::erase_if(paths, [&](std::string path) {
    if (!path.ends_with(kTokenSuffix)) return false;
    path.replace(path.size() - kTokenSuffix.size(), kTokenSuffix.size(), kIndexSuffix);
    return std::ranges::binary_search(all, path);
  });
}

std::vector<std::string> expand(const std::string& pattern) {
  std::vector<std::string> paths = matches_of(pattern);
  if (paths.empty()) paths = matches_of(pattern + std::string(kIndexSuffix));
  if (paths.empty()) {
    fail(STOWAGE_IO_ERROR, "{}: expected at least one matching file, found none; check the path", pattern);
  }
  drop_bin_beside_idx(paths);
  return paths;
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!is_glob(path)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> found = expand(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace stowage::source
