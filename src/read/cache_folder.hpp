// SPDX-License-Identifier: Apache-2.0
// The folder of copies of data files on a node. Processes of one user share it; nothing in it is needed by anybody.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/hash.hpp"
#include "read/file_identity.hpp"
#include "read/partial_copy.hpp"

namespace stowage::read {

// A complete copy is named by the key of its original: stowage-KEY.shard; a partial one stowage-KEY.part. Room is given
// out under a lock on the file stowage.lock, so that all processes together keep the bound, counting partial copies in
// full. Other files in the folder are neither counted nor touched. Thread-safe.
class CacheFolder {
 public:
  // Makes the folder if it is not there and removes partial copies that nobody is at work on. `bytes` bounds the copies
  // of all processes. Throws STOWAGE_IO_ERROR if it cannot be made or written to.
  CacheFolder(std::string directory, std::uint64_t bytes);

  const std::string& directory() const noexcept { return directory_; }
  std::string path_of(const Digest& key) const;  // of the complete copy

  // Whether there is a complete copy of that size under a name that path_of() gave, made by this user. Marks it as in
  // use.
  bool use(const std::string& copy, std::uint64_t bytes) const noexcept;

  enum class Room {
    given,
    present,  // there is such a copy, or somebody is making it
    full,
    locked,  // somebody else is asking for room just now: ask again
  };
  struct Reservation {
    Room room = Room::full;
    std::unique_ptr<PartialCopy> copy;  // if given
  };
  // Room for a copy of the file. If there is too little, copies that nobody has used for an hour are removed, the one
  // unused longest first, if that helps; others never are. Throws STOWAGE_IO_ERROR.
  Reservation reserve(const FileIdentity& file) const;

  // Makes a flushed copy complete. False: somebody else has the lock just now, ask again. Throws STOWAGE_IO_ERROR.
  bool publish(PartialCopy& copy) const;

 private:
  std::string directory_;
  std::uint64_t bytes_;
};

}  // namespace stowage::read
