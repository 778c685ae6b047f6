// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>

#include "base/narrow.hpp"
#include "plan/baselines/baselines.hpp"
#include "plan/baselines/division.hpp"
#include "plan/ratios.hpp"

namespace stowage::plan::baselines {

namespace {

constexpr int kIterations = 20;
constexpr double kNearEnough = 0.95;  // of a limit: the group is kept
constexpr double kSmallestShare = 0.4;
constexpr int kShares = 13;  // swept, from the smallest to the whole cap

struct Limits {
  std::uint64_t tokens;
  std::uint64_t tiles;
};

// Means of the step where it sets no caps: groups of an even share.
Limits limits_for(const Request& request, double share) {
  std::uint64_t tokens = 0;
  std::uint64_t all_tiles = 0;
  for (std::uint32_t i = 0; i < request.tokens.size(); ++i) {
    tokens += padded(request, i);
    all_tiles += tiles(request, i);
  }
  const double token_cap = request.cap != 0 ? request.cap : static_cast<double>(tokens) / request.replicas / share;
  // Tiles in proportion to tokens, so that both limits are met at about the same time.
  const double even_tiles =
      tokens == 0 ? 0.0 : token_cap * static_cast<double>(all_tiles) / static_cast<double>(tokens);
  const double tile_cap = request.tile_cap != 0 ? std::min<double>(request.tile_cap, even_tiles) : even_tiles;
  return {static_cast<std::uint64_t>(share * token_cap), static_cast<std::uint64_t>(std::ceil(share * tile_cap))};
}

class Grouping {
 public:
  Grouping(const Request& request, Limits limits) : request_(request), limits_(limits) {}

  Packs run() {
    Indices left;
    for (std::uint32_t i = 0; i < request_.tokens.size(); ++i) {
      if (padded(request_, i) <= limits_.tokens && (limits_.tiles == 0 || tiles(request_, i) <= limits_.tiles))
        left.push_back(i);
    }
    Packs kept;
    std::mt19937_64 random(0);  // the grouping is random; a fixed seed makes it a function of the step
    for (int k = 0; k < kIterations && !left.empty(); ++k) {
      for (std::size_t i = left.size(); i > 1; --i) std::swap(left[i - 1], left[random() % i]);
      Packs groups = sample(left);
      left.clear();
      const bool last = k + 1 == kIterations;
      for (Indices& group : groups) {
        if (last || near_enough(group)) {
          kept.push_back(std::move(group));
        } else {
          left.insert(left.end(), group.begin(), group.end());
        }
      }
    }
    return kept;
  }

 private:
  Packs sample(const Indices& from) const {
    Packs groups;
    std::uint64_t tokens = 0;
    std::uint64_t all_tiles = 0;
    for (const std::uint32_t i : from) {
      const bool full = tokens + padded(request_, i) > limits_.tokens ||
                        (limits_.tiles != 0 && all_tiles + tiles(request_, i) > limits_.tiles);
      if (groups.empty() || full) {
        groups.emplace_back();
        tokens = 0;
        all_tiles = 0;
      }
      groups.back().push_back(i);
      tokens += padded(request_, i);
      all_tiles += tiles(request_, i);
    }
    return groups;
  }
  bool near_enough(const Indices& group) const {
    std::uint64_t tokens = 0;
    std::uint64_t all_tiles = 0;
    for (const std::uint32_t i : group) {
      tokens += padded(request_, i);
      all_tiles += tiles(request_, i);
    }
    return static_cast<double>(tokens) >= kNearEnough * static_cast<double>(limits_.tokens) ||
           (limits_.tiles != 0 && static_cast<double>(all_tiles) >= kNearEnough * static_cast<double>(limits_.tiles));
  }

  const Request& request_;
  Limits limits_;
};

Plan with_share(const Request& request, double share) {
  Packs groups = Grouping(request, limits_for(request, share)).run();
  split_to(groups, round_up<std::size_t>(groups.size(), request.replicas));
  Division division(request.replicas);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Packs& own = division[g % division.size()];
    if (request.cap == 0 && !own.empty()) {
      own.front().insert(own.front().end(), groups[g].begin(), groups[g].end());
    } else {
      own.push_back(std::move(groups[g]));
    }
  }
  return to_plan(request, std::move(division));
}

double unevenness(const Request& request, const Plan& plan) {
  const PhaseRatios ratios = phase_ratios(request, plan);
  return ratios.vision + ratios.language;
}

}  // namespace

Plan omnibal(const Request& request) {
  Plan best = with_share(request, 1.0);
  for (int k = 0; k + 1 < kShares; ++k) {
    Plan plan = with_share(request, kSmallestShare + (1.0 - kSmallestShare) * k / (kShares - 1));
    // One that drops fewer samples is better; among those, the more even one.
    if (plan.order.size() != best.order.size() ? plan.order.size() > best.order.size()
                                               : unevenness(request, plan) < unevenness(request, best)) {
      best = std::move(plan);
    }
  }
  return best;
}

}  // namespace stowage::plan::baselines
