// SPDX-License-Identifier: Apache-2.0
// The global batches of a run, one a step: draws, described by the ranks that hold the indexes (all-to-all 1), cut by
// policy into segments, grouped into steps. The same on every rank.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "loader/catalogue.hpp"
#include "loader/policy.hpp"
#include "mixture/draw.hpp"

namespace stowage::loader {

// One segment to deliver.
struct Segment {
  mixture::Draw draw;
  Piece piece;
  std::uint32_t shard = 0;
  std::uint64_t shard_token = 0;  // its first token, within the shard
};

// A drawn sequence that is not delivered whole.
enum class Reason : std::uint8_t { over_long, zero_length, last_batch };
inline constexpr std::size_t kReasons = 3;

// Counts of one source in one step (or, added up, in a run).
struct SourceCount {
  std::uint64_t drawn = 0;      // sequences
  std::uint64_t delivered = 0;  // sequences
  std::uint64_t tokens = 0;     // delivered
  std::uint64_t truncated = 0;  // sequences delivered short
  std::uint64_t tokens_cut = 0;
  std::uint64_t split = 0;      // sequences delivered in pieces
  std::array<std::uint64_t, kReasons> dropped{};  // sequences, by Reason

  SourceCount& operator+=(const SourceCount& other);
};

struct StepBatch {
  std::uint64_t step = 0;
  std::uint64_t draws = 0;      // positions of the drawn order that this step uses up, dropped ones included
  std::uint64_t sequences = 0;  // that are delivered
  std::vector<Segment> segments;  // in drawn order
};

// Of every source, in configuration order.
std::vector<mixture::SourceSpec> source_specs(const config::Config& config, const Catalogue& catalogue);

// The steps of the run if they can be known from the catalogue: always but for epochs of batches measured in tokens.
std::optional<std::uint64_t> count_steps(const config::Config& config, const Catalogue& catalogue);

class StepStream {
 public:
  // Borrows all three.
  StepStream(const config::Config& config, const Catalogue& catalogue, exchange::Team& team);

  // The next step; nothing at the end. Collective over the team.
  std::optional<StepBatch> next();

  const std::vector<SourceCount>& counts() const noexcept { return counts_; }  // by source, of all steps so far

 private:
  struct Described {
    mixture::Draw draw;
    Location location;
  };
  void describe_more();
  bool take(StepBatch& batch, const Described& described, std::uint64_t& tokens);
  std::uint64_t chunk() const noexcept;
  void drop_incomplete(const std::vector<SourceCount>& before);

  const config::Config& config_;
  const Catalogue& catalogue_;
  exchange::Team& team_;
  mixture::DrawStream draws_;
  bool drawn_out_ = false;
  std::deque<Described> described_;
  std::vector<SourceCount> counts_;
  std::uint64_t step_ = 0;
};

}  // namespace stowage::loader
