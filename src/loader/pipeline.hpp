// SPDX-License-Identifier: Apache-2.0
// One step after another through every stage: draw, describe, plan, read, exchange, construct. The same code for a team
// of loader ranks and for one process alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "deliver/aligned_buffer.hpp"
#include "loader/payload.hpp"
#include "loader/placement.hpp"
#include "loader/statistics.hpp"
#include "loader/step_stream.hpp"

namespace stowage::loader {

// Gives memory for a replica's block of so many bytes. Must not fail on one rank alone: a rank falls back to the heap.
using AllocateFor = std::function<deliver::AlignedBuffer(std::uint32_t, std::size_t)>;

inline deliver::AlignedBuffer from_heap(std::uint32_t /*replica*/, std::size_t bytes) {
  return deliver::from_heap(bytes);
}

struct Produced {
  std::uint32_t replica = 0;
  deliver::AlignedBuffer block;
};

using Needed = std::function<bool(std::uint32_t replica, std::uint64_t step)>;  // empty: all are

class Pipeline {
 public:
  // Borrows config, catalogue and team. Blocks are built in the memory that `allocate` gives. Goes on from `start`
  // (beginning() for a new run). Collective over `team`.
  Pipeline(const config::Config& config, const Catalogue& catalogue, exchange::Team& team, Constructors constructors,
           AllocateFor allocate, const checkpoint::IteratorState& start);
  ~Pipeline();

  struct Outcome {
    bool end = false;                  // no step was made: the stream is over
    bool abandoned = false;            // no step was made: every rank said that it has nobody left to serve
    checkpoint::StepDelta delta;       // of the step; at the end, what was drawn and belongs to none
    std::uint64_t least_progress = 0;  // over all ranks
    std::vector<Produced> blocks;      // of the replicas that this rank constructs, ascending
  };

  // Makes the next step. Collective. What can be foreseen to go wrong on one rank alone (reading) is agreed on and
  // thrown by all as SharedError; any other Error is this rank's own, and the caller must tell the others (Alarm).
  // finished, progress: what this rank says in the step's agreement (exchange::Vote). Blocks are constructed only of
  // the replicas for which needed(replica, step) holds.
  Outcome next(bool finished, std::uint64_t progress, const Needed& needed = {});

  // Steps below `step` are made again and were counted before.
  void count_plans_from(std::uint64_t step) noexcept { plans_counted_from_ = step; }

  // Goes past the next step: it is planned, but neither read nor delivered nor counted in the statistics. What it did
  // to the state; nothing at the end. Collective.
  std::optional<checkpoint::StepDelta> pass();

  const PlanStatistics& plan_statistics() const noexcept { return plan_statistics_; }
  RankStatistics rank_statistics() const;

 private:
  plan::Request request(const StepBatch& batch, std::vector<std::uint32_t>& tokens) const;
  std::vector<Produced> construct_mine(const StepBatch& batch, const plan::Plan& plan, const ReceivedTokens& received,
                                       const Needed& needed);

  const config::Config& config_;
  const Catalogue& catalogue_;
  exchange::Team& team_;
  Constructors constructors_;
  AllocateFor allocate_;
  StepStream stream_;
  Payload payload_;
  PlanStatistics plan_statistics_;
  std::uint64_t plans_counted_from_ = 0;
};

}  // namespace stowage::loader
