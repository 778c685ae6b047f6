// SPDX-License-Identifier: Apache-2.0
// What is known of one shard file after it was opened and validated: where its tokens lie and how they are cut into
// sequences. Both formats hold one contiguous token array, so reading needs no format any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace stowage::source {

enum class TokenType : std::uint8_t { u8, i8, u16, i16, i32, u32, i64 };

std::uint32_t token_bytes(TokenType type) noexcept;
const char* token_type_name(TokenType type) noexcept;

struct Shard {
  std::string token_file;    // the file that holds the tokens (.bin, or the HDF5 file itself)
  std::uint64_t base = 0;    // byte offset of token 0 in token_file
  std::uint64_t tokens = 0;  // in all
  TokenType type = TokenType::u16;
  std::uint64_t vocab_size = 0;      // ids are below it by the writer's word; 0 = the format does not say
  std::vector<std::uint64_t> begin;  // [sequences + 1] first token of each sequence; last = tokens
  // Verification on reading (HDF5 shards): block b covers bytes [b * block_bytes, ...) of the token array and has its
  // XXH3-64 at byte checksum_base + 8 * b of token_file. Not kept in memory.
  std::uint32_t block_bytes = 0;  // 0 = the format has no checksums
  std::uint64_t checksum_base = 0;

  std::uint64_t sequences() const noexcept { return begin.size() - 1; }
};

// Opens, validates against the file's real size, reads the index and closes. Not collective; thread-safe for
// Megatron, one thread at a time for HDF5 (its library is not thread-safe in Debian).
// Throws STOWAGE_IO_ERROR (missing, unreadable) or STOWAGE_DATA_ERROR (file, offset, expected, found).
// `path` of a Megatron pair is the common prefix, or either file's name.
Shard open_megatron(const std::string& path, config::SampleUnit unit);
Shard open_hdf5(const std::string& path, config::SampleUnit unit);
inline Shard open_shard(config::Format format, const std::string& path, config::SampleUnit unit) {
  return format == config::Format::megatron ? open_megatron(path, unit) : open_hdf5(path, unit);
}

// The files that a source's path entries name, in their order: globs expanded and sorted by bytes, others as they are.
// A glob may also match Megatron prefixes ("data/*_document"), and of an .idx and a .bin that it both matches only the
// .idx is listed, so that "data/*" names each pair once. Throws STOWAGE_IO_ERROR for a glob that matches nothing.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths);

}  // namespace stowage::source
