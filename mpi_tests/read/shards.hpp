// SPDX-License-Identifier: Apache-2.0
// Small shards in both formats, and their bytes as an independent reader finds them.
#pragma once

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/narrow.hpp"
#include "read/read_plan.hpp"
#include "source/shard.hpp"
#include "source/writer.hpp"
#include "support/shared_folder.hpp"

namespace stowage::read::test {

inline ShardInfo describe(config::Format format, const std::string& path) {
  return info_of(source::open_shard(format, path, config::SampleUnit::sequence), format);
}

inline void write_tokens(source::ShardWriter& writer, std::uint64_t tokens, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> sequence(tokens);
  for (std::uint32_t& token : sequence) token = static_cast<std::uint32_t>(random() % 60'000);
  writer.add(sequence);
  writer.end_document();
  writer.close();
}

// Shards 0, 2, ... are Megatron pairs, 1, 3, ... HDF5 files, of different lengths and token types. Collective over
// `world`; written by rank 0.
inline std::vector<ShardInfo> make_shards(const stowage::test::World& world, const stowage::test::SharedFolder& folder,
                                          int count) {
  std::vector<ShardInfo> shards;
  if (world.rank() == 0) {
    for (int s = 0; s < count; ++s) {
      source::WriterOptions options;
      options.type = s % 4 < 2 ? source::TokenType::u16 : source::TokenType::i32;
      const std::string path = folder.file("shard" + std::to_string(s)) + (s % 2 == 0 ? "" : ".h5");
      const auto writer =
          s % 2 == 0 ? source::make_megatron_writer(path, options) : source::make_hdf5_writer(path, options);
      write_tokens(*writer, 20'000 + 3'001 * static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(s));
    }
  }
  world.barrier();
  for (int s = 0; s < count; ++s) {
    const std::string path = folder.file("shard" + std::to_string(s)) + (s % 2 == 0 ? "" : ".h5");
    shards.push_back(describe(s % 2 == 0 ? config::Format::megatron : config::Format::hdf5, path));
  }
  world.barrier();  // tests alter the files
  return shards;
}

// The bytes of a piece, by an ordinary stream.
inline Bytes plain_read(const ShardInfo& shard, const Piece& piece) {
  std::ifstream stream(shard.file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(shard.base + piece.begin));
  Bytes bytes(piece.end - piece.begin);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// Flips one bit of a file.
inline void damage(const std::string& file, std::uint64_t offset) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekg(static_cast<std::streamoff>(offset));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ 1));
}

}  // namespace stowage::read::test
