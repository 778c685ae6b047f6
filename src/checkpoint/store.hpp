// SPDX-License-Identifier: Apache-2.0
// The writer of checkpoints in a folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "checkpoint/checkpoint.hpp"
#include "checkpoint/folder.hpp"
#include "checkpoint/lock.hpp"

namespace stowage::checkpoint {

struct StoreOptions {
  std::uint64_t base_every = 16;  // a base, then base_every - 1 differences; at least 1
  std::uint64_t keep = 2;         // generations, besides what superfluous() says; at least 1
};

// A checkpoint as the bytes of its file, not yet on disk.
struct Encoded {
  Generation generation;
  Bytes bytes;
  Digest content;  // content_digest() of the checkpoint
  Digest fingerprint_digest;
  std::uint64_t distance = 0;  // differences since the base, itself included
  IteratorState state;         // of the checkpoint, as are the next
  std::vector<Input> inputs;
  std::optional<Fingerprint> fingerprint;  // if it is not that of the generation before
};

// Writing has two halves, so that a job can do the slow one beside its other work:
//
//   encode()    decides between base and difference and makes the file's bytes. Uses HDF5, hence: in the one thread of
//               the process that uses HDF5. Short (docs/checkpoint.md has figures), touches no file.
//   publish()   plain system calls on files, no HDF5, no MPI: in any thread.
//
// They take turns: what encode() gave is published, or thrown away, before the next encode(). Not thread-safe beyond
// that. After a failure of either the folder holds what it held, and the store can be used on: the next difference
// builds on the last generation that was published.
class Store {
 public:
  // Makes the folder if it is not there, locks it (WriterLock) and removes what dead writers left under temporary
  // names. The first checkpoint of a store is always a base.
  explicit Store(std::string folder, const StoreOptions& options = {});

  Encoded encode(const Checkpoint& checkpoint);

  // Writes under a temporary name, flushes to disk, reads back and compares, renames, flushes the folder; then removes
  // what rotation no longer keeps, of which a failure is only logged. Throws STOWAGE_IO_ERROR that names the file.
  Generation publish(Encoded encoded);

  Generation write(const Checkpoint& checkpoint) { return publish(encode(checkpoint)); }

  const std::string& folder() const noexcept { return folder_; }

 private:
  struct Published {
    Generation generation;
    Digest content;
    Digest fingerprint;
    std::uint64_t distance = 0;
    Checkpoint checkpoint;
  };
  void remove_temporaries() const;
  void rotate() const;

  std::string folder_;
  StoreOptions options_;
  WriterLock lock_;
  std::uint64_t next_number_ = 1;
  std::optional<Published> last_;
};

}  // namespace stowage::checkpoint
