// SPDX-License-Identifier: Apache-2.0
// The global batches of a run, one a step: draws, described by the ranks that hold the indexes (all-to-all 1), cut by
// policy into segments, grouped into steps. The same on every rank.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "checkpoint/state.hpp"
#include "loader/catalogue.hpp"
#include "loader/policy.hpp"
#include "mixture/draw.hpp"
#include "plan/deferral.hpp"

namespace stowage::loader {

// One segment to deliver.
struct Segment {
  mixture::Draw draw;
  Piece piece;
  std::uint32_t shard = 0;
  std::uint64_t shard_token = 0;  // its first token, within the shard
};

struct StepBatch {
  std::uint64_t step = 0;
  std::uint64_t sequences = 0;    // that are delivered
  std::vector<Segment> segments;  // those that have waited, then those just drawn, each in drawn order
  checkpoint::StepDelta delta;    // its `plan` is not filled in
};

// Of every source, in configuration order.
std::vector<mixture::SourceSpec> source_specs(const config::Config& config, const Catalogue& catalogue);

// The drawn order of the run, standing at `at`.
mixture::DrawStream draw_stream(const config::Config& config, const Catalogue& catalogue, const mixture::DrawState& at);

// The state before the first step of a run.
checkpoint::IteratorState beginning(const config::Config& config, const Catalogue& catalogue);

// The steps of the whole run, of which those before `start` are made, if they can be known from the catalogue: always
// but for epochs of batches measured in tokens.
std::optional<std::uint64_t> count_steps(const config::Config& config, const Catalogue& catalogue,
                                         const checkpoint::IteratorState& start);

class StepStream {
 public:
  // Borrows config, catalogue and team. Goes on from `start`; throws STOWAGE_INVALID_ARGUMENT if that cannot belong to
  // this run. Collective over the team.
  StepStream(const config::Config& config, const Catalogue& catalogue, exchange::Team& team,
             const checkpoint::IteratorState& start);

  // The next step; nothing at the end, also when called again. Collective over the team.
  std::optional<StepBatch> next();

  // After the end: what was drawn and belongs to no step, because policies dropped it.
  const checkpoint::StepDelta& rest() const noexcept { return rest_; }

 private:
  struct Described {
    mixture::Draw draw;
    Location location;
  };
  using Counts = std::map<std::uint32_t, checkpoint::SourceCount>;  // by source
  // What is drawn for one step.
  struct Drawn {
    std::uint64_t draws = 0;      // positions, dropped ones included
    std::vector<Described> kept;  // to deliver
    Counts counts;                // drawn and dropped, so far
  };
  void describe_more();
  std::uint64_t chunk() const noexcept;
  void restore_waiting(const std::vector<checkpoint::Deferred>& deferred);
  std::optional<Drawn> draw_step();
  bool is_last();
  std::vector<Described> defer(std::vector<Described> drawn);
  std::uint32_t longest_piece(const Described& described) const;
  std::vector<checkpoint::Deferred> deferred() const;
  bool take(Drawn& step, const Described& described, std::uint64_t& tokens);
  void drop_last(Drawn& step);
  void deliver(const Described& described, StepBatch& batch, Counts& counts) const;

  const config::Config& config_;
  const Catalogue& catalogue_;
  exchange::Team& team_;
  mixture::DrawStream draws_;
  bool drawn_out_ = false;
  std::deque<Described> described_;
  std::optional<Drawn> ahead_;  // the draws of the next step, where it had to be known whether there is one
  plan::DeferralQueue queue_;
  std::vector<Described> waiting_;  // as in queue_
  std::uint64_t step_;
  bool over_ = false;
  checkpoint::StepDelta rest_;
};

}  // namespace stowage::loader
