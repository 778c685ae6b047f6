// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "plan/assemble.hpp"
#include "plan/parallel.hpp"
#include "plan/planner.hpp"
#include "plan/stage_one.hpp"
#include "plan/two_phase.hpp"

namespace stowage::plan {

namespace {

void check_shapes(const Request& request) {
  for (std::size_t r = 0; r < request.shapes.size(); ++r) {
    const ReplicaShape& shape = request.shapes[r];
    if (!(shape.speed > 0.0) || !std::isfinite(shape.speed)) {
      fail(STOWAGE_INVALID_ARGUMENT, "the speed of replica {} must be above 0, got {}", r, shape.speed);
    }
    if (!request.vision_tiles.empty() && shape != request.shapes.front()) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "with vision tiles all replicas must be alike, but replica {} differs from replica 0", r);
    }
  }
}

void check_size(std::string_view what, std::size_t found, std::size_t expected) {
  if (found == 0 || found == expected) return;
  fail(STOWAGE_INVALID_ARGUMENT, "{} must have {} entries or none, got {}", what, expected, found);
}

void check(const Request& request) {
  if (request.replicas == 0) fail(STOWAGE_INVALID_ARGUMENT, "replicas must be at least 1, got 0");
  if (request.pad_segments_to == 0) fail(STOWAGE_INVALID_ARGUMENT, "pad_segments_to must be at least 1, got 0");
  if (request.pipeline_stages == 0) fail(STOWAGE_INVALID_ARGUMENT, "pipeline_stages must be at least 1, got 0");
  narrow<std::uint32_t>(request.tokens.size(), "number of sequences in a step");
  check_size("vision_tiles", request.vision_tiles.size(), request.tokens.size());
  check_size("shapes", request.shapes.size(), request.replicas);
  check_size("places.node_of_sequence", request.places.node_of_sequence.size(), request.tokens.size());
  check_size("places.node_of_replica", request.places.node_of_replica.size(), request.replicas);
  if (request.places.node_of_sequence.empty() != request.places.node_of_replica.empty() && !request.tokens.empty()) {
    fail(STOWAGE_INVALID_ARGUMENT, "places must name nodes of sequences and of replicas, or neither");
  }
  check_shapes(request);
  if (!request.allow_empty_replicas && request.tokens.size() < request.replicas) {
    fail(STOWAGE_INVALID_ARGUMENT, "{} sequences leave some of {} replicas empty, which the request does not allow",
         request.tokens.size(), request.replicas);
  }
}

void check_caps(const Request& request) {
  if (request.cap == 0) fail(STOWAGE_INVALID_ARGUMENT, "the micro-batch cap must be at least 1 token, got 0");
  std::uint64_t cap = request.shapes.empty() ? request.cap : 0;
  for (const ReplicaShape& shape : request.shapes)
    cap = std::max<std::uint64_t>(cap, shape.cap != 0 ? shape.cap : request.cap);
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    const std::uint64_t padded = round_up<std::uint64_t>(request.tokens[i], request.pad_segments_to);
    if (padded > cap) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "sequence {} of the step takes {} tokens ({} padded to a multiple of {}), but a micro-batch holds {}; raise "
           "the cap or truncate, split or drop over-long sequences",
           i, padded, request.tokens[i], request.pad_segments_to, cap);
    }
    if (request.tile_cap != 0 && !request.vision_tiles.empty() && request.vision_tiles[i] > request.tile_cap) {
      fail(STOWAGE_INVALID_ARGUMENT, "sequence {} of the step has {} vision tiles, but a micro-batch holds {}", i,
           request.vision_tiles[i], request.tile_cap);
    }
  }
}

}  // namespace

Plan make_plan(const Request& request) {
  check(request);
  check_caps(request);
  if (!request.vision_tiles.empty()) return two_phase_plan(request);
  Planner planner(request);
  std::vector<std::optional<Packing>> packings;
  do {
    packings.assign(request.replicas, std::nullopt);
    std::atomic<bool> misfit = false;  // one replica that does not fit the count settles it for all
    for_each_index(request.replicas, request.tokens.size() > kParallelItems, [&](std::size_t r) {
      if (misfit) return;
      packings[r] = planner.pack(static_cast<std::uint32_t>(r));
      if (!packings[r]) misfit = true;
    });
  } while (!planner.settle(std::move(packings)));
  return planner.plan();
}

Plan replica_plan(const Request& request) {
  check(request);
  const Items items = sorted_items(request);
  std::vector<BinShape> shapes(request.replicas);
  for (std::size_t r = 0; r < request.shapes.size(); ++r) {
    shapes[r].speed = request.shapes[r].speed;
    if (request.shapes[r].longest != 0) shapes[r].longest = request.shapes[r].longest;
  }
  const std::optional<Bins> bins = assign_replicas(items, shapes, stage_one_options(request));
  if (!bins) fail(STOWAGE_INVALID_ARGUMENT, "a sequence of the step is longer than any replica takes");
  std::vector<Packing> packings;
  for (std::size_t r = 0; r < bins->size(); ++r) packings.push_back(to_packing(std::span(*bins).subspan(r, 1)));
  return to_plan(request, items, packings);
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
