// SPDX-License-Identifier: Apache-2.0
// The files of a folder, with their chains from base to difference put together. Uses HDF5: call from the one thread of
// the process that does. Needs no lock: a job may be writing to the folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "checkpoint/file_format.hpp"

namespace stowage::checkpoint {

class Chains {
 public:
  explicit Chains(const std::string& folder);  // throws STOWAGE_IO_ERROR if it cannot be read

  const std::vector<Generation>& generations() const noexcept { return generations_; }  // oldest first

  // The checkpoint of one of generations(), proved to be what was written. Throws STOWAGE_DATA_ERROR or
  // STOWAGE_IO_ERROR that names the file that is not valid, which may be one that this one needs. Fast if the last call
  // was for the generation before. The reference holds until the next call.
  const Checkpoint& load(const Generation& generation);

  // The parent that stands in the file of a generation which load() has read; nothing for a base.
  std::optional<std::uint64_t> parent_of(const Generation& generation) const;

 private:
  struct Link {
    const Generation* generation;
    Decoded decoded;
  };
  struct Broken {
    Status status;
    std::string reason;
    bool itself;  // else it is a generation that this one needs
  };
  struct Present {
    std::string path;
    Digest content;
    Digest fingerprint;
    Checkpoint checkpoint;
  };
  Decoded read(const Generation& generation);
  const Generation& find_parent(const Generation& generation, std::uint64_t parent) const;
  void follow(Link link);
  void remember(const Generation& culprit, const std::vector<Link>& dependent, const Error& error);
  void throw_if_broken(const Generation& generation) const;

  std::string folder_;
  std::vector<Generation> generations_;
  std::map<std::string, std::uint64_t> parents_;  // by path, as is the next
  std::map<std::string, Broken> broken_;
  std::optional<Present> present_;  // what was loaded last
};

}  // namespace stowage::checkpoint
