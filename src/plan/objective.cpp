// SPDX-License-Identifier: Apache-2.0
#include "plan/objective.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stowage::plan {

double one_f_one_b(std::span<const double> micro_batches, std::uint32_t stages) {
  const std::size_t count = micro_batches.size();
  if (count == 0) return 0.0;
  // done[s][k]: when stage s has ended forward (backward) k. Each stage's turns are fixed, so they are run in rounds
  // until every stage has run all of its own; a turn waits for its stage and for its input.
  struct Stage {
    double free = 0.0;
    std::size_t forwards = 0;
    std::size_t backwards = 0;
    std::vector<double> forward_end;
    std::vector<double> backward_end;
  };
  std::vector<Stage> pipeline(stages);
  std::size_t left = 2 * count * stages;
  while (left > 0) {
    for (std::size_t s = 0; s < stages; ++s) {
      Stage& stage = pipeline[s];
      const std::size_t ahead = std::min<std::size_t>(stages - s, count);  // forwards run beyond backwards at most
      while (stage.backwards < count) {
        const bool forward = stage.forwards < count && stage.forwards - stage.backwards < ahead;
        const std::size_t k = forward ? stage.forwards : stage.backwards;
        double input = 0.0;
        if (forward && s > 0) {
          if (pipeline[s - 1].forwards <= k) break;
          input = pipeline[s - 1].forward_end[k];
        } else if (!forward && s + 1 < stages) {
          if (pipeline[s + 1].backwards <= k) break;
          input = pipeline[s + 1].backward_end[k];
        }
        stage.free = std::max(stage.free, input) + micro_batches[k] * (forward ? 1.0 : 2.0) / 3.0;
        (forward ? stage.forward_end : stage.backward_end).push_back(stage.free);
        ++(forward ? stage.forwards : stage.backwards);
        --left;
      }
    }
  }
  return pipeline.front().free;
}

double step_time(std::span<const double> micro_batches, Objective objective, std::uint32_t stages) {
  switch (objective) {
    case Objective::makespan:
      return std::accumulate(micro_batches.begin(), micro_batches.end(), 0.0);
    case Objective::pipeline:
      return micro_batches.empty() ? 0.0
                                   : static_cast<double>(micro_batches.size() + stages - 1) *
                                         *std::max_element(micro_batches.begin(), micro_batches.end());
    case Objective::one_f_one_b:
      return one_f_one_b(micro_batches, stages);
  }
  return 0.0;
}

}  // namespace stowage::plan
