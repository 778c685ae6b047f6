// SPDX-License-Identifier: Apache-2.0
// A small HDF5 shard for tests, and its pieces.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "source/contents.hpp"
#include "source/input_file.hpp"
#include "source/verify.hpp"
#include "source/writer.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::test {

// Five sequences in three documents, `tokens` of u16 in all; returns its path.
inline std::string write_shard(const TemporaryFolder& folder, std::uint32_t tokens = 5000) {
  source::WriterOptions options;
  options.type = source::TokenType::u16;
  options.vocab_size = 300;
  options.tokenizer = "bytes";
  options.provenance = {"a.txt", "longer-name.txt"};
  options.force = true;
  const std::string path = folder.file("shard.h5");
  std::vector<std::uint32_t> ids(tokens);
  for (std::uint32_t i = 0; i < tokens; ++i) ids[i] = i % 300;
  const std::span<const std::uint32_t> all(ids);
  const auto writer = source::make_hdf5_writer(path, options);
  writer->add(all.first(100));
  writer->add({});
  writer->end_document();
  writer->end_document();
  writer->add(all.subspan(100, 1));
  writer->add(all.subspan(101, 7));
  writer->add(all.subspan(108));
  writer->end_document();
  writer->close();
  return path;
}

// Checks every block of a shard against its checksum, as a reader does; throws what verify_blocks throws.
inline void verify_all(const source::Shard& shard) {
  const source::InputFile file(shard.token_file);
  Bytes raw(shard.tokens * source::token_bytes(shard.type));
  std::vector<std::uint64_t> checksums(source::block_count(shard));
  file.read(shard.base, raw);
  file.read(shard.checksum_base, std::as_writable_bytes(std::span(checksums)));
  source::verify_blocks(shard, 0, raw, checksums);
}

inline std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace stowage::test
