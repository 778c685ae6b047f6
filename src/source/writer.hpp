// SPDX-License-Identifier: Apache-2.0
// Writing shards. Files appear under their names only when they are complete and on disk: everything is written under
// temporary names in the same folder, flushed, renamed, and the folder flushed. Tokens are streamed: memory grows with
// the number of sequences, not with their lengths.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "source/shard.hpp"

namespace stowage::source {

struct WriterOptions {
  TokenType type = TokenType::u16;
  std::uint64_t vocab_size = 0;         // ids must be below it; 0 = unknown: they must only fit the type
  std::string tokenizer;                // name, stored in HDF5 shards
  std::vector<std::string> provenance;  // names of the inputs, stored in HDF5 shards
  bool force = false;                   // replace existing files
};

// The type that Megatron's own tools choose: u16 below a vocabulary of 65,500, else i32. Both formats hold either.
TokenType default_token_type(std::uint64_t vocab_size) noexcept;

// Usage: add() each sequence, end_document() after the last one of each document, then close(). Not thread-safe; HDF5
// is entered by close() alone. After STOWAGE_INVALID_ARGUMENT the writer may be used on as if the call had not been
// made; after any other error it can only be destroyed. Destroyed without a successful close(), it leaves nothing
// behind.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Appends one sequence; it may be empty. Throws STOWAGE_INVALID_ARGUMENT with sequence, place and id if an id is not
  // below vocab_size or does not fit the type; STOWAGE_IO_ERROR if the disk refuses.
  virtual void add(std::span<const std::uint32_t> tokens) = 0;

  // Ends a document of all sequences added since the last call, possibly of none.
  virtual void end_document() = 0;

  // Completes and publishes the file. Throws STOWAGE_INVALID_ARGUMENT if nothing was added (an empty source cannot be
  // opened) or if the last document was not ended.
  virtual void close() = 0;
};

// Writes `prefix`.bin and `prefix`.idx. Throws STOWAGE_IO_ERROR if either exists and options.force is not set,
// STOWAGE_INVALID_ARGUMENT for type u32, which the format lacks.
std::unique_ptr<ShardWriter> make_megatron_writer(const std::string& prefix, const WriterOptions& options);

// Writes the HDF5 file `path`. Needs room for the tokens twice until it is closed: HDF5 places a contiguous array only
// when its length is known. The same calls give the same bytes, wherever and whenever they are made.
std::unique_ptr<ShardWriter> make_hdf5_writer(const std::string& path, const WriterOptions& options);

}  // namespace stowage::source
