// SPDX-License-Identifier: Apache-2.0
// Checkpoint files as bytes. Uses HDF5, in memory only: call from the one thread of the process that uses HDF5.
#pragma once

#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "checkpoint/difference.hpp"
#include "checkpoint/folder.hpp"

namespace stowage::checkpoint {

struct Header {
  std::uint64_t generation = 0;
  Digest content;                       // content_digest() of the checkpoint that the file leads to
  std::uint64_t parent_generation = 0;  // differences only, as is the next
  Digest parent_content;
};

// A whole file, sealed. `path` is for messages. Throws STOWAGE_INVALID_ARGUMENT if the parts of the checkpoint disagree
// about the number of sources.
Bytes encode(const Header& header, const Checkpoint& checkpoint, const std::string& path);
Bytes encode(const Header& header, const Difference& difference, const std::string& path);

struct Decoded {
  Header header;
  std::variant<Checkpoint, Difference> body;

  Kind kind() const noexcept { return body.index() == 0 ? Kind::base : Kind::difference; }
  std::uint64_t step() const;
};

// The inverse. Throws STOWAGE_DATA_ERROR that names `path`, the place, what was expected and what was found, for every
// file that is not exactly as it was written.
Decoded decode(ByteView file, const std::string& path);

}  // namespace stowage::checkpoint
