// SPDX-License-Identifier: Apache-2.0
#include "loader/catalogue.hpp"

#include <algorithm>
#include <numeric>

#include "base/frame.hpp"
#include "base/narrow.hpp"
#include "loader/checkpoint_archive.hpp"
#include "loader/fingerprint.hpp"
#include "loader/policy.hpp"

namespace boost::serialization {

template <typename Archive>
void serialize(Archive& archive, stowage::read::ShardInfo& shard, unsigned) {
  archive& shard.file& shard.base& shard.bytes& shard.block_bytes& shard.checksum_base& shard.type& shard
      .vocab_size& shard.format;
}

template <typename Archive>
void serialize(Archive& archive, stowage::loader::Catalogue::Problem& problem, unsigned) {
  archive& problem.text.mark.line& problem.text.mark.column& problem.text.message& problem.status;
}

}  // namespace boost::serialization

namespace stowage::loader {
namespace {

// What the owner of a source tells the others.
struct Opened {
  static constexpr std::uint32_t kVersion = 2;
  std::uint32_t source = 0;
  SourceInfo info;
  std::vector<read::ShardInfo> shards;
  std::vector<Catalogue::Problem> problems;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& source& info& shards& problems;
  }
};

// What all ranks know.
struct Told {
  static constexpr std::uint32_t kVersion = 1;
  std::vector<SourceInfo> sources;
  std::vector<read::ShardInfo> shards;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& sources& shards;
  }
};

read::ShardInfo info_of(const source::Shard& shard, config::Format format) {
  return {.file = shard.token_file,
          .base = shard.base,
          .bytes = checked_mul<std::uint64_t>(shard.tokens, source::token_bytes(shard.type)),
          .block_bytes = shard.block_bytes,
          .checksum_base = shard.checksum_base,
          .type = shard.type,
          .vocab_size = shard.vocab_size,
          .format = format};
}

void count_lengths(const source::Shard& shard, const config::MicroBatch& micro_batch, SourceInfo& info) {
  if (info.sequences == 0) info.shortest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t s = 0; s + 1 < shard.begin.size(); ++s) {
    const std::uint64_t tokens = shard.begin[s + 1] - shard.begin[s];
    info.shortest = std::min(info.shortest, tokens);
    info.longest = std::max(info.longest, tokens);
    info.zero_length += tokens == 0 ? 1 : 0;
    info.over_long += tokens > longest_segment(micro_batch) ? 1 : 0;
  }
  info.sequences += shard.sequences();
  info.tokens += shard.tokens;
}

// Opens all shards of one source; problems go into `opened`.
std::vector<source::Shard> open_source(const config::Config& config, const config::Source& source, Opened& opened) {
  std::vector<source::Shard> shards;
  const auto attempt = [&](const config::Mark& mark, auto&& work) {
    try {
      work();
    } catch (...) {
      auto [status, message] = current_exception_status();
      opened.problems.push_back({{mark, fmt::format("source '{}': {}", source.name, message)}, status});
    }
  };
  std::vector<std::string> paths;
  attempt(source.path_mark, [&] { paths = source::expand_paths(source.paths); });
  for (const std::string& path : paths) {
    attempt(source.path_mark, [&] {
      source::Shard shard = source::open_shard(source.format, path, source.sample);
      count_lengths(shard, config.micro_batch, opened.info);
      std::ranges::move(files_of(shard, source.format), std::back_inserter(opened.info.files));
      opened.shards.push_back(info_of(shard, source.format));
      shards.push_back(std::move(shard));
    });
  }
  opened.info.index = index_digest(shards);
  attempt(source.mark, [&] { refuse_over_long(source, opened.info, config.micro_batch); });
  return shards;
}

}  // namespace

Catalogue Catalogue::open(const config::Config& config, exchange::Team& team, std::vector<Problem>& problems) {
  Catalogue catalogue;
  catalogue.rank_ = team.rank();
  catalogue.team_size_ = team.size();
  const std::size_t sources = config.sources.size();
  catalogue.own_.resize(sources);
  catalogue.first_sequence_.resize(sources);
  catalogue.sources_.resize(sources);

  std::vector<Opened> mine;
  for (std::uint32_t s = 0; s < sources; ++s) {
    const config::Source& source = config.sources[s];
    catalogue.sources_[s].name = source.name;
    if (!catalogue.owns(s) || disabled(config, source)) continue;
    Opened& opened = mine.emplace_back();
    opened.source = s;
    opened.info.name = source.name;
    catalogue.keep(s, open_source(config, source, opened));
  }

  const exchange::Gathered gathered = team.all_gather(frame::encode(mine, Opened::kVersion));
  std::vector<Opened> all;
  for (int rank = 0; rank < team.size(); ++rank) {
    auto theirs =
        frame::decode<std::vector<Opened>>(gathered.of(rank), Opened::kVersion, "the sources of a loader rank");
    std::move(theirs.begin(), theirs.end(), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &Opened::source);
  for (Opened& opened : all) {
    opened.info.first_shard = narrow<std::uint32_t>(catalogue.shards_.size(), "number of shards");
    opened.info.shards = narrow<std::uint32_t>(opened.shards.size(), "shards of a source");
    catalogue.sources_[opened.source] = opened.info;
    std::move(opened.shards.begin(), opened.shards.end(), std::back_inserter(catalogue.shards_));
    std::move(opened.problems.begin(), opened.problems.end(), std::back_inserter(problems));
  }
  if (problems.empty()) check_enough(config, catalogue.sources_, problems);
  return catalogue;
}

Catalogue Catalogue::open_or_throw(const config::Config& config, exchange::Team& team) {
  std::vector<Problem> problems;
  Catalogue catalogue = open(config, team, problems);
  if (!problems.empty()) {
    std::vector<config::Problem> texts;
    for (const Problem& problem : problems) texts.push_back(problem.text);
    throw Error(problems.front().status, config::describe(config.file, texts));
  }
  return catalogue;
}

void Catalogue::keep(std::uint32_t source, std::vector<source::Shard> shards) {
  own_[source] = std::move(shards);
  first_sequence_[source].clear();
  std::uint64_t first = 0;
  for (const source::Shard& shard : own_[source]) {
    first_sequence_[source].push_back(first);
    first += shard.sequences();
  }
}

Bytes Catalogue::told() const {
  return frame::encode(Told{sources_, shards_}, Told::kVersion);
}

Catalogue Catalogue::from_told(ByteView told) {
  auto known = frame::decode<Told>(told, Told::kVersion, "the sources that the other loader ranks have opened");
  Catalogue catalogue;
  catalogue.sources_ = std::move(known.sources);
  catalogue.shards_ = std::move(known.shards);
  catalogue.own_.resize(catalogue.sources_.size());
  catalogue.first_sequence_.resize(catalogue.sources_.size());
  catalogue.rank_ = -1;
  return catalogue;
}

void Catalogue::share_anew(const config::Config& config, int rank, int size) {
  rank_ = rank;
  team_size_ = size;
  for (std::uint32_t s = 0; s < sources_.size(); ++s) {
    if (!owns(s)) {
      keep(s, {});
      continue;
    }
    if (!own_[s].empty() || disabled(config, config.sources[s])) continue;
    Opened opened;
    std::vector<source::Shard> shards = open_source(config, config.sources[s], opened);
    if (!opened.problems.empty()) throw Error(opened.problems.front().status, opened.problems.front().text.message);
    if (opened.info.sequences != sources_[s].sequences || opened.info.tokens != sources_[s].tokens) {
      fail(
          STOWAGE_DATA_ERROR,
          "source '{}' changed while the job ran: expected {} sequences and {} tokens as at its start, found {} and {}",
          sources_[s].name, sources_[s].sequences, sources_[s].tokens, opened.info.sequences, opened.info.tokens);
    }
    keep(s, std::move(shards));
  }
}

Location Catalogue::locate(std::uint32_t source, std::uint64_t sequence) const {
  const auto& firsts = first_sequence_[source];
  const auto shard = static_cast<std::size_t>(std::ranges::upper_bound(firsts, sequence) - firsts.begin()) - 1;
  const auto& begin = own_[source][shard].begin;
  const std::size_t local = sequence - firsts[shard];
  return {sources_[source].first_shard + static_cast<std::uint32_t>(shard), begin[local],
          begin[local + 1] - begin[local]};
}

}  // namespace stowage::loader
