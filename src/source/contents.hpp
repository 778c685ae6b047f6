// SPDX-License-Identifier: Apache-2.0
// Everything that a shard file says, in either format; Shard is the part of it that reading needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "source/shard.hpp"

namespace stowage::source {

// Where the tokens of an HDF5 shard come from.
struct Provenance {
  std::string tokenizer;
  std::string tool;                 // program and version that wrote the file
  std::vector<std::string> inputs;  // what it was made from, as given to the writer
};

struct Contents {
  config::Format format = config::Format::megatron;
  std::string index_file;                      // .idx, or the HDF5 file
  Shard shard;                                 // cut into sequences
  std::vector<std::uint64_t> documents;        // [documents + 1] first sequence of each document; last = sequences
  bool has_modes = false;                      // Megatron: one mode byte a sequence (multimodal); not read
  std::optional<Provenance> provenance;        // HDF5 only
  std::uint64_t block_checksums_checksum = 0;  // HDF5: XXH3-64 of the array of block checksums
};

// Reads and validates an index; errors and threads as open_megatron and open_hdf5.
Contents read_megatron(const std::string& path);
Contents read_hdf5(const std::string& path);

// Tells the format by the file itself: HDF5 by its signature or a name that ends in .h5 or .hdf5, otherwise a Megatron
// pair. Throws as the two above, and STOWAGE_DATA_ERROR for a file that is neither.
Contents read_contents(const std::string& path);

// The shard with one entry of `begin` a sequence, or one a document: its sequences joined.
Shard cut(Contents contents, config::SampleUnit unit);

}  // namespace stowage::source
