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
    return std::uint64_t{tiles_of(request, a)} * request.tokens[b] >
           std::uint64_t{tiles_of(request, b)} * request.tokens[a];
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

// Samples of odd numbers of tiles only: a micro-batch's tiles have the parity of its number of samples. Where the token
// cap keeps that number so small that the tiles determine it, an iteration's tiles fix its samples, and the tiles that
// a step misses are given modulo twice the replicas, unless so many are missing that numbers of samples may differ
// anyway. Returns the least number that may be missing; `missing` is what whole tiles alone say.
std::uint64_t missing_with_parity(const Request& request, std::uint64_t tiles, std::uint64_t missing) {
  const std::uint64_t replicas = request.replicas;
  const std::size_t samples = request.tokens.size();
  const auto odd = [](std::uint32_t t) { return t % 2 == 1; };
  if (request.cap == 0 || samples == 0 || samples % replicas != 0 ||
      !std::all_of(request.vision_tiles.begin(), request.vision_tiles.end(), odd)) {
    return missing;
  }
  std::vector<std::uint32_t> shortest(request.tokens.begin(), request.tokens.end());
  std::sort(shortest.begin(), shortest.end());
  std::vector<std::uint64_t> sum(samples + 1, 0);
  for (std::size_t i = 0; i < samples; ++i) sum[i + 1] = sum[i] + shortest[i];
  const std::uint64_t least = *std::min_element(request.vision_tiles.begin(), request.vision_tiles.end());
  const std::uint64_t most = *std::max_element(request.vision_tiles.begin(), request.vision_tiles.end());
  // The most samples of a micro-batch such that tiles tell their number: n' samples have at least n' - n tiles more
  // than n.
  std::uint64_t told = 1;
  const auto tells = [&](std::uint64_t larger) {
    for (std::uint64_t n = 0; n + 1 < larger; ++n) {
      if (larger * least < n * most + (larger - n)) return false;
    }
    return true;
  };
  while (told < samples && tells(told + 1)) ++told;
  // Micro-batches that may hold more than that, and how many samples at most.
  std::uint64_t exceptions = 0;
  while ((exceptions + 1) * (told + 1) <= samples &&
         sum[(exceptions + 1) * (told + 1)] <= (exceptions + 1) * request.cap)
    ++exceptions;
  const auto held = static_cast<std::uint64_t>(std::upper_bound(sum.begin(), sum.end(), request.cap) - sum.begin()) - 1;
  const std::uint64_t alike = (samples + 2 * replicas * tiles - tiles) % (2 * replicas);
  const std::uint64_t excused = std::min(replicas, exceptions * held);
  std::uint64_t differing = missing;
  while (differing < replicas - excused) differing += replicas;
  return std::min(alike, differing);
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

double pad_ratio(std::span<const double> samples) {
  return dist_ratio(samples);
}

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
  if (tiles > 0)
    bounds.vision = static_cast<double>(missing_with_parity(request, tiles, missing)) /
                    (request.replicas * most_tiles(request)) / iterations;
  if (cost > 0.0) bounds.language = std::max(0.0, 1.0 - cost / (request.replicas * costliest)) / iterations;
  return bounds;
}

}  // namespace stowage::plan
