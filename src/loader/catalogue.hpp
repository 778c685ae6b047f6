// SPDX-License-Identifier: Apache-2.0
// All sources of a run, opened once by the team: each rank opens and keeps the indexes of some of them, every rank
// knows the totals and the shards' places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "checkpoint/checkpoint.hpp"
#include "config/parse.hpp"
#include "exchange/team.hpp"
#include "read/read_plan.hpp"
#include "source/shard.hpp"

namespace stowage::loader {

// Of one source; known on every rank.
struct SourceInfo {
  std::string name;
  std::uint64_t sequences = 0;
  std::uint64_t tokens = 0;
  std::uint64_t shortest = 0;  // tokens
  std::uint64_t longest = 0;
  std::uint64_t zero_length = 0;  // sequences without tokens
  std::uint64_t over_long = 0;    // sequences that do not fit a micro-batch
  std::uint32_t first_shard = 0;  // in Catalogue::shards
  std::uint32_t shards = 0;
  Digest index;                                      // see index_digest()
  std::vector<checkpoint::Fingerprint::File> files;  // as they were when they were opened

  double mean_tokens() const noexcept {
    return sequences == 0 ? 0.0 : static_cast<double>(tokens) / static_cast<double>(sequences);
  }
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& name& sequences& tokens& shortest& longest& zero_length& over_long& first_shard& shards& index.high& index
        .low& files;
  }
};

// Where one sequence lies.
struct Location {
  std::uint32_t shard = 0;  // in Catalogue::shards
  std::uint64_t begin = 0;  // first token, within the shard
  std::uint64_t tokens = 0;
};

class Catalogue {
 public:
  struct Problem {
    config::Problem text;
    Status status = STOWAGE_OK;
  };

  // Opens every source that is not disabled by weight 0, source s on rank s % team.size(). Collective over `team`.
  // Finds every problem of every source; `problems`, the same on every rank, is in configuration order, and empty if
  // the catalogue can be used for more than looking at it.
  static Catalogue open(const config::Config& config, exchange::Team& team, std::vector<Problem>& problems);

  // The same with all problems thrown as one Error: "FILE:LINE:COL: message", one a line, and the status of the first.
  static Catalogue open_or_throw(const config::Config& config, exchange::Team& team);

  // What every rank knows, for one that took no part in opening; from_told() gives a catalogue that owns no source.
  Bytes told() const;
  static Catalogue from_told(ByteView told);

  // From now on this rank is `rank` of `size` that share the sources: opens those that fall to it and that it has not
  // open, closes the others. Not collective; throws if a source cannot be opened or is not what it was.
  void share_anew(const config::Config& config, int rank, int size);

  const std::vector<SourceInfo>& sources() const noexcept { return sources_; }  // in configuration order
  const std::vector<read::ShardInfo>& shards() const noexcept { return shards_; }

  int owner(std::uint32_t source) const noexcept { return static_cast<int>(source) % team_size_; }
  bool owns(std::uint32_t source) const noexcept { return owner(source) == rank_; }

  // Not collective; only for an owned source, sequence < sources()[source].sequences.
  Location locate(std::uint32_t source, std::uint64_t sequence) const;

 private:
  Catalogue() = default;
  void keep(std::uint32_t source, std::vector<source::Shard> shards);

  std::vector<SourceInfo> sources_;
  std::vector<read::ShardInfo> shards_;
  std::vector<std::vector<source::Shard>> own_;             // by source; empty where not owned
  std::vector<std::vector<std::uint64_t>> first_sequence_;  // by source: of each of its shards; owned only
  int rank_ = 0;
  int team_size_ = 1;
};

}  // namespace stowage::loader
