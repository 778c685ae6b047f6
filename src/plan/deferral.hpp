// SPDX-License-Identifier: Apache-2.0
// Outliers wait for each other. A sequence that costs more than a replica's even share sets the makespan of its step
// alone; several of them in one step cost no more than the longest. So they queue by level and come together, as in
// Z. Wang et al., "WLB-LLM: Workload-Balanced 4D Parallelism for Large Language Model Training" (2025), but never
// longer than a fixed number of steps, and none is lost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/cost.hpp"

namespace stowage::plan {

struct Deferrable {
  std::uint64_t id = 0;  // the caller's; unique among those that wait
  std::uint32_t tokens = 0;
  std::uint32_t waited = 0;  // steps so far

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& id& tokens& waited;
  }
  friend bool operator==(const Deferrable&, const Deferrable&) = default;
};

// A pure function of its options, its state and what is drawn. Not thread-safe.
class DeferralQueue {
 public:
  // `most_steps` 0: nothing waits. Throws STOWAGE_INVALID_ARGUMENT for 0 replicas.
  DeferralQueue(std::uint32_t most_steps, std::uint32_t replicas, CostModel cost);

  // The sequences of this step: those drawn and those that waited, less those that wait on. Drawn ones enter with
  // waited = 0. Ones that waited come first, in the order in which they came.
  std::vector<Deferrable> step(std::span<const Deferrable> drawn);

  // Everything that still waits, for the step after the last draw.
  std::vector<Deferrable> flush();

  // All there is to save; restoring it goes on exactly.
  const std::vector<Deferrable>& waiting() const noexcept { return waiting_; }
  void restore(std::vector<Deferrable> waiting) { waiting_ = std::move(waiting); }

 private:
  double released_cost(const std::vector<Deferrable>& outliers, double share) const;

  std::uint32_t most_steps_;
  std::uint32_t replicas_;
  CostModel cost_;
  std::vector<Deferrable> waiting_;
};

}  // namespace stowage::plan
