// SPDX-License-Identifier: Apache-2.0
// How uneven work is, by the two ratios of Y. Yao et al., "OmniBal: Towards Fast Instruct-tuning for Vision-Language
// Models via Omniverse Computation Balance" (2024), and what no plan can go below.
#pragma once

#include <cstdint>
#include <span>

#include "plan/plan.hpp"

namespace stowage::plan {

// sum(T_max - T_i) / (T_max * N) over devices: the share of time that devices wait for the slowest. 0 without work.
double dist_ratio(std::span<const double> devices);

// sum(t_max - t_i) / (t_max * B) over the samples of one device: the share that is padding when samples are padded to
// the longest. 0 without samples.
double pad_ratio(std::span<const double> samples);

// Means over the iterations of a step: iteration k is every replica's k-th micro-batch.
struct PhaseRatios {
  double vision = 0.0;        // DistRatio of tiles
  double language = 0.0;      // DistRatio of segment cost
  double vision_pad = 0.0;    // PadRatio of tiles, a mean over micro-batches
  double language_pad = 0.0;  // PadRatio of tokens
};
PhaseRatios phase_ratios(const Request& request, const Plan& plan);

// What whole tiles and whole samples leave of the DistRatios at `iterations` micro-batches a replica, whatever the
// plan: the tiles that are missing to a multiple of the replicas must be missing somewhere (more of them where parity
// of whole samples forbids the nearest multiple); the iteration of the costliest sample is at least that long.
PhaseRatios phase_ratio_bounds(const Request& request, std::uint32_t iterations);

}  // namespace stowage::plan
