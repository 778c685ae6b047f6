// SPDX-License-Identifier: Apache-2.0
// How long a replica takes for its micro-batches, by objective.
#pragma once

#include <cstdint>
#include <span>

#include "plan/plan.hpp"

namespace stowage::plan {

// Times of a replica's micro-batches, in their order, to the time of its step. Forward and backward of a micro-batch
// on one stage together take its time, a third and two thirds of it.
double step_time(std::span<const double> micro_batches, Objective objective, std::uint32_t stages);

// The 1F1B schedule (D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", 2021), stages alike, no time between stages: stage s runs min(stages - s - 1, count) forwards, then one
// forward and one backward in turn, then the backwards that are left.
double one_f_one_b(std::span<const double> micro_batches, std::uint32_t stages);

}  // namespace stowage::plan
