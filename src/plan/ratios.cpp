// SPDX-License-Identifier: Apache-2.0
#include "plan/ratios.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stowage::plan {

namespace {

std::uint32_t tiles_of(const Request& request, std::uint32_t sequence) {
  return request.vision_tiles.empty() ? 0 : request.vision_tiles[sequence];
}

// An upper bound on the tiles of one micro-batch: the densest samples that tokens leave room for, the last one in part.
double most_tiles(const Request& request) {
  std::vector<std::uint32_t> densest(request.tokens.size());
  std::iota(densest.begin(), densest.end(), 0U);
  std::sort(densest.begin(), densest.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{tiles_of(request, a)} * request.tokens[b] > std::uint64_t{tiles_of(request, b)} * request.tokens[a];
  });
  double tiles = 0.0;
  double room = request.cap;
  for (const std::uint32_t i : densest) {
    const double taken = request.tokens[i] <= room ? 1.0 : room / request.tokens[i];
    tiles += taken * tiles_of(request, i);
    room -= taken * request.tokens[i];
    if (room <= 0.0) break;
  }
  return request.tile_cap != 0 ? std::min<double>(tiles, request.tile_cap) : tiles;
}

}  // namespace

double dist_ratio(std::span<const double> devices) {
  double sum = 0.0;
  double largest = 0.0;
  for (const double device : devices) {
    sum += device;
    largest = std::max(largest, device);
  }
  return largest > 0.0 ? 1.0 - sum / (largest * static_cast<double>(devices.size())) : 0.0;
}

double pad_ratio(std::span<const double> samples) { return dist_ratio(samples); }

PhaseRatios phase_ratios(const Request& request, const Plan& plan) {
  std::uint32_t iterations = 0;
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    iterations = std::max(iterations, plan.replica_begin[r + 1] - plan.replica_begin[r]);
  }
  PhaseRatios sum;
  for (std::uint32_t k = 0; k < iterations; ++k) {
    std::vector<double> vision(plan.replicas(), 0.0);
    std::vector<double> language(plan.replicas(), 0.0);
    for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
      const std::uint32_t m = plan.replica_begin[r] + k;
      if (m >= plan.replica_begin[r + 1]) continue;
      std::vector<double> tiles;
      std::vector<double> tokens;
      for (const std::uint32_t i : plan.sequences(m)) {
        tiles.push_back(tiles_of(request, i));
        tokens.push_back(request.tokens[i]);
        vision[r] += tiles.back();
        language[r] += request.cost(request.tokens[i]);
      }
      sum.vision_pad += pad_ratio(tiles) / plan.replicas();
      sum.language_pad += pad_ratio(tokens) / plan.replicas();
    }
    sum.vision += dist_ratio(vision);
    sum.language += dist_ratio(language);
  }
  if (iterations == 0) return sum;
  for (double* ratio : {&sum.vision, &sum.language, &sum.vision_pad, &sum.language_pad}) *ratio /= iterations;
  return sum;
}

PhaseRatios phase_ratio_bounds(const Request& request, std::uint32_t iterations) {
  PhaseRatios bounds;
  if (iterations == 0) return bounds;
  std::uint64_t tiles = 0;
  double cost = 0.0;
  double costliest = 0.0;
  for (std::uint32_t i = 0; i < request.tokens.size(); ++i) {
    tiles += tiles_of(request, i);
    cost += request.cost(request.tokens[i]);
    costliest = std::max(costliest, request.cost(request.tokens[i]));
  }
  const std::uint64_t missing = (request.replicas - tiles % request.replicas) % request.replicas;
  if (tiles > 0) bounds.vision = static_cast<double>(missing) / (request.replicas * most_tiles(request)) / iterations;
  if (cost > 0.0) bounds.language = std::max(0.0, 1.0 - cost / (request.replicas * costliest)) / iterations;
  return bounds;
}

}  // namespace stowage::plan
