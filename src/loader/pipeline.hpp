// SPDX-License-Identifier: Apache-2.0
// One step after another through every stage: draw, describe, plan, read, exchange, construct. The same code for a team
// of loader ranks and for one process alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "deliver/aligned_buffer.hpp"
#include "loader/payload.hpp"
#include "loader/statistics.hpp"
#include "loader/step_stream.hpp"

namespace stowage::loader {

// Which rank of the team constructs each replica's data; kNobody where it is not wanted at all.
inline constexpr int kNobody = -1;
using Constructors = std::vector<int>;  // [replicas]

// Replicas in equal runs over the ranks.
Constructors constructors_over(std::uint32_t replicas, int ranks);

struct Produced {
  std::uint32_t replica = 0;
  deliver::AlignedBuffer block;
};

class Pipeline {
 public:
  // Borrows all but `constructors`. Collective over `team`.
  Pipeline(const config::Config& config, const Catalogue& catalogue, exchange::Team& team, Constructors constructors);
  ~Pipeline();

  struct Outcome {
    bool end = false;                  // no step was made: the stream is over
    bool abandoned = false;            // no step was made: every rank said that it has nobody left to serve
    std::uint64_t draws = 0;           // that the step used up
    std::uint64_t least_progress = 0;  // over all ranks
    std::vector<Produced> blocks;      // of the replicas that this rank constructs, ascending
  };

  // Makes the next step. Collective. What can be foreseen to go wrong on one rank alone (reading) is agreed on and
  // thrown by all as SharedError; any other Error is this rank's own, and the caller must tell the others (Alarm).
  // finished, progress: what this rank says in the step's agreement (exchange::Vote).
  Outcome next(bool finished, std::uint64_t progress);

  const PlanStatistics& plan_statistics() const noexcept { return plan_statistics_; }
  const std::vector<SourceCount>& counts() const noexcept { return stream_.counts(); }
  RankStatistics rank_statistics() const;

 private:
  plan::Plan plan(const StepBatch& batch);
  std::vector<Produced> construct_mine(const StepBatch& batch, const plan::Plan& plan, const ReceivedTokens& received);

  const config::Config& config_;
  const Catalogue& catalogue_;
  exchange::Team& team_;
  Constructors constructors_;
  StepStream stream_;
  Payload payload_;
  PlanStatistics plan_statistics_;
};

}  // namespace stowage::loader
