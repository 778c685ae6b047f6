// SPDX-License-Identifier: Apache-2.0
#include "plan/deferral.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace stowage::plan {

DeferralQueue::DeferralQueue(std::uint32_t most_steps, std::uint32_t replicas, CostModel cost)
    : most_steps_(most_steps), replicas_(replicas), cost_(cost) {
  if (replicas == 0) fail(STOWAGE_INVALID_ARGUMENT, "replicas must be at least 1, got 0");
}

// The cost up to which outliers run now; 0 when all may wait. One whose time is up runs, and so does a level that has
// one for every replica; whatever costs no more then rides along free.
double DeferralQueue::released_cost(const std::vector<Deferrable>& outliers, double share) const {
  double released = 0.0;
  std::map<int, std::pair<std::uint32_t, double>> levels;  // count, costliest; a level is a factor of two
  for (const Deferrable& one : outliers) {
    const double cost = cost_(one.tokens);
    if (one.waited >= most_steps_) released = std::max(released, cost);
    auto& [count, costliest] = levels[std::ilogb(cost / share)];
    ++count;
    costliest = std::max(costliest, cost);
  }
  for (const auto& [level, held] : levels) {
    if (held.first >= replicas_) released = std::max(released, held.second);
  }
  return released;
}

std::vector<Deferrable> DeferralQueue::step(std::span<const Deferrable> drawn) {
  std::vector<Deferrable> pool = std::exchange(waiting_, {});
  for (Deferrable& one : pool) ++one.waited;
  double work = 0.0;
  for (const Deferrable& one : drawn) {
    pool.push_back({one.id, one.tokens, 0});
    work += cost_(one.tokens);
  }
  const double share = work / replicas_;
  if (most_steps_ == 0 || share <= 0.0) return pool;

  std::vector<Deferrable> outliers;
  double now_work = 0.0;
  for (const Deferrable& one : pool) {
    if (cost_(one.tokens) > share) {
      outliers.push_back(one);
    } else {
      now_work += cost_(one.tokens);
    }
  }
  const double released = released_cost(outliers, share);
  std::vector<Deferrable> now;
  for (const Deferrable& one : pool) {
    const double cost = cost_(one.tokens);
    const bool due = one.waited >= most_steps_;
    const bool rides = cost <= released && now_work + cost <= released * replicas_;
    if (cost > share && !due && !rides) {
      waiting_.push_back(one);
      continue;
    }
    if (cost > share) now_work += cost;
    now.push_back(one);
  }
  return now;
}

std::vector<Deferrable> DeferralQueue::flush() {
  return std::exchange(waiting_, {});
}

}  // namespace stowage::plan
