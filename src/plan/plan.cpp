// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "plan/parallel.hpp"
#include "plan/planner.hpp"
#include "plan/two_phase.hpp"

namespace stowage::plan {

namespace {

void check(const Request& request) {
  if (request.replicas == 0) fail(STOWAGE_INVALID_ARGUMENT, "replicas must be at least 1, got 0");
  if (request.cap == 0) fail(STOWAGE_INVALID_ARGUMENT, "the micro-batch cap must be at least 1 token, got 0");
  if (request.pad_segments_to == 0) fail(STOWAGE_INVALID_ARGUMENT, "pad_segments_to must be at least 1, got 0");
  narrow<std::uint32_t>(request.tokens.size(), "number of sequences in a step");
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    const std::uint64_t padded = round_up<std::uint64_t>(request.tokens[i], request.pad_segments_to);
    if (padded > request.cap) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "sequence {} of the step takes {} tokens ({} padded to a multiple of {}), but a micro-batch holds {}; raise "
           "the cap or truncate, split or drop over-long sequences",
           i, padded, request.tokens[i], request.pad_segments_to, request.cap);
    }
  }
}

}  // namespace

Plan make_plan(const Request& request) {
  check(request);
  if (!request.vision_tiles.empty()) return two_phase_plan(request);
  Planner planner(request);
  std::vector<std::optional<Packing>> packings;
  do {
    packings.assign(request.replicas, std::nullopt);
    for_each_index(request.replicas, request.tokens.size() > kParallelItems,
                   [&](std::size_t r) { packings[r] = planner.pack(static_cast<std::uint32_t>(r)); });
  } while (!planner.settle(std::move(packings)));
  return planner.plan();
}

Digest Plan::digest() const {
  Hasher hasher;
  hasher.add_array(std::span<const std::uint32_t>(order));
  hasher.add_array(std::span<const std::uint32_t>(micro_batch_begin));
  hasher.add_array(std::span<const std::uint32_t>(replica_begin));
  return hasher.digest();
}

double max_over_mean(std::span<const double> values) noexcept {
  double sum = 0.0;
  double largest = 0.0;
  for (const double value : values) {
    sum += value;
    largest = std::max(largest, value);
  }
  return sum > 0.0 ? largest * static_cast<double>(values.size()) / sum : 1.0;
}

}  // namespace stowage::plan
