// SPDX-License-Identifier: Apache-2.0
// Files to copy, and what lies in a cache folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "read/file_identity.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::read::test {

inline std::string text_of_length(std::size_t bytes, std::size_t seed = 0) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>((i * 31 + i / 251 + seed) % 256);
  return text;
}

inline FileIdentity write(const stowage::test::TemporaryFolder& folder, const std::string& name, std::size_t bytes) {
  return identify(folder.write(name, text_of_length(bytes))).value();
}

// The paths in a folder whose names end so.
inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const std::string& ending) {
  std::vector<std::filesystem::path> paths;
  if (!std::filesystem::exists(folder)) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with(ending)) paths.push_back(entry.path());
  }
  return paths;
}

// Waits until it holds, at most ten seconds; whether it does.
template <typename Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

}  // namespace stowage::read::test
