// SPDX-License-Identifier: Apache-2.0
// The readers against bare pread of the same bytes in the same processes, and against one pass through as many bytes in
// file order.
//
//   mpirun -n 4 bench_read --json read.json && bench/compare read.json
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/narrow.hpp"
#include "bench/support/bench_main.hpp"
#include "bench/support/measure.hpp"
#include "read/reader.hpp"
#include "source/file_cache.hpp"
#include "source/writer.hpp"

namespace stowage::bench {
namespace {

using config::Format;
using read::Piece;
using read::ShardInfo;

struct Options {
  std::string json;
  std::string folder = std::filesystem::temp_directory_path();
  std::uint64_t shards = 4;
  std::uint64_t shard_tokens = std::uint64_t{32} << 20;  // two bytes each
  std::uint64_t step_tokens = std::uint64_t{16} << 20;
  Repetitions repetitions;
};

struct Ranks {
  int rank = 0;
  int size = 1;
  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

std::string shard_path(const std::string& folder, Format format, std::uint64_t shard) {
  return folder + "/shard" + std::to_string(shard) + (format == Format::hdf5 ? ".h5" : "");
}

void write_shard(const std::string& path, Format format, std::uint64_t tokens) {
  const source::WriterOptions options;
  const auto writer =
      format == Format::hdf5 ? source::make_hdf5_writer(path, options) : source::make_megatron_writer(path, options);
  std::vector<std::uint32_t> sequence(2048);
  std::mt19937 random(1);
  for (std::uint32_t& token : sequence) token = static_cast<std::uint32_t>(random() % 60'000);
  for (std::uint64_t written = 0; written < tokens; written += sequence.size()) writer->add(sequence);
  writer->end_document();
  writer->close();
}

ShardInfo describe(const std::string& path, Format format) {
  return read::info_of(source::open_shard(format, path, config::SampleUnit::sequence), format);
}

// Shards in a folder of their own, which rank 0 writes and removes. Collective.
class Shards {
 public:
  Shards(const Options& options, Format format, const Ranks& ranks)
      : folder_(options.folder + "/stowage-bench-read"), owner_(ranks.rank == 0) {
    if (owner_) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
      for (std::uint64_t s = 0; s < options.shards; ++s) {
        write_shard(shard_path(folder_, format, s), format, options.shard_tokens);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::uint64_t s = 0; s < options.shards; ++s)
      infos_.push_back(describe(shard_path(folder_, format, s), format));
  }
  ~Shards() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code ignored;
    if (owner_) std::filesystem::remove_all(folder_, ignored);
  }
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;

  const std::vector<ShardInfo>& infos() const noexcept { return infos_; }

 private:
  std::string folder_;
  bool owner_;
  std::vector<ShardInfo> infos_;
};

// One step's sequences of `tokens` tokens at random places, the same on every rank.
std::vector<Piece> random_step(const std::vector<ShardInfo>& shards, std::uint64_t tokens, std::uint64_t step_tokens) {
  std::mt19937_64 random(7);
  std::vector<Piece> pieces;
  for (std::uint64_t p = 0; p < std::max<std::uint64_t>(1, step_tokens / tokens); ++p) {
    const auto s = narrow<std::uint32_t>(random() % shards.size());
    const std::uint64_t width = source::token_bytes(shards[s].type);
    const std::uint64_t all = shards[s].bytes / width;
    const std::uint64_t begin = random() % (all - std::min(all, tokens) + 1);
    pieces.push_back({s, begin * width, std::min(all, begin + tokens) * width});
  }
  return pieces;
}

// This rank's extents by pread alone: no checks, no plan.
void bare_pread(const std::vector<ShardInfo>& shards, std::span<const read::Extent> extents, source::FileCache& files,
                ByteSpan out) {
  for (const read::Extent& extent : extents) {
    const ShardInfo& shard = shards[extent.shard];
    files.file(shard.file).read(shard.base + extent.begin, out.first(extent.end - extent.begin));
    out = out.subspan(extent.end - extent.begin);
  }
}

// This rank's share of all bytes as one run in file order: what the file system gives when nothing is random.
std::vector<read::Extent> sequential_share(const std::vector<ShardInfo>& shards, std::uint64_t bytes, int rank) {
  std::vector<read::Extent> extents;
  std::uint64_t left = bytes;
  std::uint64_t skip = bytes * static_cast<std::uint64_t>(rank);
  for (std::uint32_t s = 0; s < shards.size() && left > 0; ++s) {
    std::uint64_t begin = std::min(skip, shards[s].bytes);
    skip -= begin;
    while (begin < shards[s].bytes && left > 0) {
      const std::uint64_t length = std::min({left, shards[s].bytes - begin, read::kMaxExtent});
      extents.push_back({s, begin, begin + length});
      begin += length;
      left -= length;
    }
  }
  return extents;
}

nlohmann::json measure(const std::string& name, const std::vector<ShardInfo>& shards, std::uint64_t tokens,
                       const Options& options, const Ranks& ranks) {
  const auto open_files = narrow<std::uint32_t>(shards.size());
  const auto pieces = random_step(shards, tokens, options.step_tokens);
  const read::ReadPlan plan = read::plan_reads(pieces, shards, ranks.size);
  const auto extents = plan.extents_of(ranks.rank);
  Bytes out(plan.bytes_of(ranks.rank));
  const auto run = sequential_share(shards, out.size(), ranks.rank);
  std::uint64_t run_bytes = 0;
  for (const read::Extent& extent : run) run_bytes += extent.end - extent.begin;
  source::FileCache files(open_files);
  const auto cooperative = read::make_cooperative_reader(shards, open_files);
  const auto collective = read::make_collective_reader(shards, MPI_COMM_WORLD, open_files);
  std::uint64_t total = 0;
  for (const std::uint64_t bytes : plan.bytes) total += bytes;

  return compare(
      MPI_COMM_WORLD, name, total,
      {{"cooperative", true, [&] { cooperative->read(plan, ranks.rank, out); }},
       {"collective", true, [&] { collective->read(plan, ranks.rank, out); }},
       {"pread, same extents", false, [&] { bare_pread(shards, extents, files, out); }},
       {"pread, in file order", false, [&] { bare_pread(shards, run, files, ByteSpan(out).first(run_bytes)); }}},
      options.repetitions);
}

void bench_read(const Options& options) {
  const Ranks ranks;
  nlohmann::json results = nlohmann::json::array();
  for (const Format format : {Format::megatron, Format::hdf5}) {
    const Shards shards(options, format, ranks);
    const std::string name = format == Format::hdf5 ? "hdf5" : "megatron";
    for (const std::uint64_t tokens : {512U, 4'096U, 131'072U}) {
      results.push_back(
          measure(name + ", sequences of " + std::to_string(tokens), shards.infos(), tokens, options, ranks));
    }
  }
  write_report(MPI_COMM_WORLD, "read", results, options.json);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  using namespace stowage::bench;
  Options options;
  CLI::App app("Compares the loaders' readers with pread");
  app.add_option("--json", options.json, "write the report here instead of to standard output");
  app.add_option("--folder", options.folder, "where to write the shards")->capture_default_str();
  app.add_option("--shards", options.shards, "shards a format")->capture_default_str();
  app.add_option("--shard-tokens", options.shard_tokens, "tokens a shard")->capture_default_str();
  app.add_option("--step-tokens", options.step_tokens, "tokens read in one run, all ranks together")
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions.measured, "measured runs a candidate")->capture_default_str();
  app.add_option("--warm-up", options.repetitions.warm_up, "runs before them")->capture_default_str();
  return run(app, argc, argv, [&] { bench_read(options); });
}
