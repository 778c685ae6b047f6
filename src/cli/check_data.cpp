// SPDX-License-Identifier: Apache-2.0
#include "cli/check_data.hpp"

#include <algorithm>

#include "cli/progress_bar.hpp"
#include "source/verify_shard.hpp"

namespace stowage::cli {
namespace {

// The shard as its file says, with the smaller of its own vocabulary and the configured one.
source::Contents contents_of(const read::ShardInfo& shard, const std::optional<std::uint64_t>& vocab_size) {
  source::Contents contents =
      shard.format == config::Format::megatron ? source::read_megatron(shard.file) : source::read_hdf5(shard.file);
  std::uint64_t& declared = contents.shard.vocab_size;
  if (vocab_size) declared = declared == 0 ? *vocab_size : std::min(declared, *vocab_size);
  return contents;
}

}  // namespace

void check_data(const config::Config& config, const loader::Catalogue& catalogue,
                std::vector<loader::Catalogue::Problem>& problems) {
  std::uint64_t all = 0;
  for (const read::ShardInfo& shard : catalogue.shards()) all += shard.bytes;
  std::uint64_t before = 0;
  ProgressBar bar("check");
  for (std::size_t s = 0; s < config.sources.size(); ++s) {
    const config::Source& source = config.sources[s];
    const loader::SourceInfo& info = catalogue.sources()[s];
    for (const read::ShardInfo& shard : std::span(catalogue.shards()).subspan(info.first_shard, info.shards)) {
      try {
        source::verify_shard(contents_of(shard, source.vocab_size),
                             [&](std::uint64_t done, std::uint64_t) { bar.update(before + done, all, shard.file); });
      } catch (...) {
        auto [status, message] = current_exception_status();
        problems.push_back({{source.path_mark, fmt::format("source '{}': {}", source.name, message)}, status});
      }
      before += shard.bytes;
    }
  }
}

}  // namespace stowage::cli
