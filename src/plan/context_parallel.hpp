// SPDX-License-Identifier: Apache-2.0
// Splitting long sequences over several replicas (context parallelism by sequence): then no single sequence limits the
// makespan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace stowage::plan {

enum class Degrees { powers_of_two, any };

// Ranks that a sequence is split over so that none holds more than `tokens_per_rank` of it: the least such degree, or
// the least such power of two (2^ceil(log2(tokens / tokens_per_rank)), as Megatron-Core's hybrid context parallelism).
// At least 1. Throws STOWAGE_INVALID_ARGUMENT for tokens_per_rank of 0.
std::uint32_t split_degree(std::uint32_t tokens, std::uint32_t tokens_per_rank, Degrees degrees);

// Degrees of all sequences of a step by cost instead of length: each part costs at most the replicas' even share. None
// above the number of replicas (for powers of two: the largest power of two that is not above it).
std::vector<std::uint32_t> balanced_degrees(const Request& request, Degrees degrees);

// Stage one with split sequences: part p of sequence i, costing cost / degree, runs on replica
// replicas[first_part[i] + p]; parts of one sequence on different replicas.
struct SplitAssignment {
  std::vector<std::uint32_t> first_part;  // [sequences + 1]
  std::vector<std::uint32_t> replicas;    // [parts]
  std::vector<double> replica_cost;       // [replicas]
};

// Costliest part first, the parts of a sequence to the replicas with least load. Throws STOWAGE_INVALID_ARGUMENT for a
// degree of 0 or above the number of replicas.
SplitAssignment assign_split(const Request& request, std::span<const std::uint32_t> degrees);

}  // namespace stowage::plan
