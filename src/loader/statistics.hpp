// SPDX-License-Identifier: Apache-2.0
// What a run did, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/team.hpp"
#include "loader/step_stream.hpp"
#include "plan/plan.hpp"

namespace stowage::loader {

// Of the steps planned so far; the same on every rank.
struct PlanStatistics {
  std::uint64_t steps = 0;
  std::uint64_t sequences = 0;
  std::uint64_t tokens = 0;
  std::uint64_t row_tokens = 0;  // lengths of all micro-batches, padding included
  std::uint64_t micro_batches = 0;
  double drawn_max_over_mean = 0;  // sums over steps; see mean_*()
  double planned_max_over_mean = 0;

  double mean_drawn() const noexcept { return steps == 0 ? 1.0 : drawn_max_over_mean / static_cast<double>(steps); }
  double mean_planned() const noexcept { return steps == 0 ? 1.0 : planned_max_over_mean / static_cast<double>(steps); }
  double padding_share() const noexcept {
    return row_tokens == 0 ? 0.0 : 1.0 - static_cast<double>(tokens) / static_cast<double>(row_tokens);
  }

  PlanStatistics& operator+=(const PlanStatistics& other) noexcept;

  // Adds one step. As drawn: the step's segments dealt to the replicas in order, in runs of equal count.
  void add(const StepBatch& batch, const plan::Request& request, const plan::Plan& plan,
           const config::MicroBatch& micro_batch);
};

// Of one rank; summed over the team at the end.
struct RankStatistics {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_cached = 0;  // of these, from copies in the cache of the node
  std::uint64_t reads = 0;
  std::uint64_t bytes_exchanged = 0;  // sent to other ranks in all-to-all 2
  std::uint64_t bytes_delivered = 0;  // to trainers: the sum of the next two
  std::uint64_t bytes_shared = 0;     // written to shared memory: one copy for all trainers of a replica on the node
  std::uint64_t bytes_sent = 0;       // in messages: each trainer its part
  std::uint64_t bytes_if_copied = 0;  // for comparison: had each trainer got its own copy of its replica's steps

  RankStatistics& operator+=(const RankStatistics& other);
};

// Collective over `team`.
RankStatistics sum_over(exchange::Team& team, const RankStatistics& mine);

}  // namespace stowage::loader
