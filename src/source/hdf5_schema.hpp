// SPDX-License-Identifier: Apache-2.0
// The layout of our HDF5 shards, shared by reader and writer; docs/hdf5-shards.md describes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "h5/file.hpp"
#include "source/contents.hpp"

namespace stowage::source::schema {

inline constexpr const char* kFormat = "stowage-tokens";
inline constexpr std::uint64_t kVersion = 1;
inline constexpr std::uint64_t kBlockBytes = 4096;    // of files that are written
inline constexpr std::uint64_t kMinBlockBytes = 512;  // of files that are read
inline constexpr std::uint64_t kMaxBlockBytes = 1 << 24;
inline constexpr std::uint64_t kAlignment = 4096;  // of every dataset of at least that size

// Datasets and groups.
inline constexpr const char* kTokens = "/tokens";
inline constexpr const char* kOffsets = "/offsets";
inline constexpr const char* kDocuments = "/documents";
inline constexpr const char* kBlockChecksums = "/block_checksums";
inline constexpr const char* kProvenance = "/provenance";
inline constexpr const char* kInputs = "/provenance/inputs";

// Attributes of the root group, and of /provenance.
inline constexpr const char* kFormatAttribute = "format";
inline constexpr const char* kVersionAttribute = "version";
inline constexpr const char* kVocabSizeAttribute = "vocab_size";
inline constexpr const char* kTokenizerAttribute = "tokenizer";
inline constexpr const char* kBlockBytesAttribute = "block_bytes";
inline constexpr const char* kBlockChecksumsAttribute = "block_checksums_checksum";
inline constexpr const char* kIndexChecksumAttribute = "index_checksum";
inline constexpr const char* kToolAttribute = "tool";

// XXH3-64 over everything but the tokens themselves: of the little-endian u64 values version, tokens, h(type name),
// vocab_size, h(tokenizer), block_bytes, block_checksums_checksum, h(tool), h(inputs), h(offsets), h(documents), where
// h is XXH3-64 of the bytes, and h(inputs) that of the array of h(input).
std::uint64_t index_checksum(const Contents& contents);

// The type in files of a token type; owned by HDF5.
hid_t token_disk_type(TokenType type);

// Writes a complete shard but for the bytes of its tokens, whose space is allocated and not written: the caller puts
// them at the offset returned, after this call. `contents` gives everything but the fields that are places in a file;
// `block_checksums` are those of the tokens to come. The file is replaced if it exists.
std::uint64_t create_without_tokens(const std::string& path, const Contents& contents,
                                    std::span<const std::uint64_t> block_checksums);

}  // namespace stowage::source::schema
