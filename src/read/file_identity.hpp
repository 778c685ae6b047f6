// SPDX-License-Identifier: Apache-2.0
// What tells a data file from others, and from what it was before somebody changed it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/hash.hpp"

namespace stowage::read {

struct FileIdentity {
  std::string path;  // absolute
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970

  Digest key() const;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Of a file as it is now; nothing if it cannot be looked at. Symbolic links are followed.
std::optional<FileIdentity> identify(const std::string& path);

// Of an open file, known under that path.
std::optional<FileIdentity> identify(int fd, const std::string& path);

}  // namespace stowage::read
