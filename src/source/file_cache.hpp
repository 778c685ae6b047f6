// SPDX-License-Identifier: Apache-2.0
// A bounded number of open read-only files, the least recently used closed first: thousands of sources need only
// `capacity` descriptors.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "source/input_file.hpp"

namespace stowage::source {

// Not thread-safe. Descriptors may be used by several threads at once.
class FileCache {
 public:
  // `capacity` >= 1, else STOWAGE_INVALID_ARGUMENT.
  explicit FileCache(std::uint32_t capacity);

  // The open file, opened if need be (throws as InputFile does). Valid until `capacity` other files were asked for.
  const InputFile& file(const std::string& path);
  int fd(const std::string& path) { return file(path).fd(); }

  // Closes the file if it is open.
  void close(const std::string& path);

  std::size_t open_files() const noexcept { return recent_.size(); }

 private:
  std::size_t capacity_;
  std::list<InputFile> recent_;                                                   // most recently used first
  std::unordered_map<std::string_view, std::list<InputFile>::iterator> by_path_;  // keys lie in recent_
};

}  // namespace stowage::source
