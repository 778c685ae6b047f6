// SPDX-License-Identifier: Apache-2.0
#include "plan/measure.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/narrow.hpp"
#include "plan/bounds.hpp"
#include "plan/objective.hpp"

namespace stowage::plan {

namespace {

double speed_of(const Request& request, std::size_t replica) {
  return request.shapes.empty() ? 1.0 : request.shapes[replica].speed;
}

std::uint64_t least_micro_batches(const Request& request, const Items& items) {
  if (request.cap == 0) return items.size() == 0 ? 0 : 1;
  std::uint64_t caps = 0;
  std::uint64_t largest = 0;
  for (std::size_t r = 0; r < request.replicas; ++r) {
    const std::uint64_t cap =
        request.shapes.empty() || request.shapes[r].cap == 0 ? request.cap : request.shapes[r].cap;
    caps += cap;
    largest = std::max(largest, cap);
  }
  const std::uint64_t tokens = std::accumulate(items.tokens.begin(), items.tokens.end(), std::uint64_t{0});
  const std::uint64_t tiles = std::accumulate(items.tiles.begin(), items.tiles.end(), std::uint64_t{0});
  std::uint64_t least = std::max(div_ceil(tokens, caps),
                                 div_ceil<std::uint64_t>(bin_count_bound(items.tokens, largest), request.replicas));
  if (request.tile_cap != 0)
    least = std::max(least, div_ceil<std::uint64_t>(tiles, std::uint64_t{request.tile_cap} * request.replicas));
  return least;
}

// On the slowest micro-batch when every replica has `count` of them.
double slowest_bound(const Request& request, const Items& items, std::uint64_t count) {
  std::vector<BinShape> shapes;
  for (std::size_t r = 0; r < request.replicas; ++r) {
    BinShape shape;
    shape.speed = speed_of(request, r);
    shapes.insert(shapes.end(), count, shape);
  }
  return makespan_bound(items, shapes) * items.unit;
}

double objective_bound(const Request& request, const Items& items, std::uint64_t least, double replica_bound) {
  const CostModel& cost = request.cost;
  double fastest = 0.0;
  for (std::size_t r = 0; r < request.replicas; ++r) fastest = std::max(fastest, speed_of(request, r));
  const auto fixed = [&](std::uint64_t count) { return static_cast<double>(count) * cost.per_micro_batch / fastest; };
  const std::uint32_t ramps = request.pipeline_stages - 1;
  switch (request.objective) {
    case Objective::makespan:
      return replica_bound + fixed(request.equal_counts ? least : 0);
    case Objective::one_f_one_b: {
      // The last stage has all the work of the costliest replica; before it, the first micro-batch (never an empty one)
      // goes forward, a third of its time, through the other stages.
      const double smallest = static_cast<double>(items.work.back()) * items.unit / fastest;
      return replica_bound + fixed(request.equal_counts ? least : 0) + ramps * smallest / 3.0;
    }
    case Objective::pipeline:
      break;
  }
  double bound = std::numeric_limits<double>::infinity();
  for (std::uint64_t count = least; count <= least + request.extra_micro_batches; ++count) {
    bound = std::min(bound, static_cast<double>(count + ramps) * (slowest_bound(request, items, count) + fixed(1)));
  }
  return bound;
}

}  // namespace

Measures measure(const Request& request, const Plan& plan) {
  Measures result;
  result.dropped = request.tokens.size() - plan.order.size();
  result.ratios = phase_ratios(request, plan);
  const Items items = sorted_items(request);
  if (items.total == 0) return result;
  std::vector<BinShape> shapes(request.replicas);
  for (std::size_t r = 0; r < request.replicas; ++r) shapes[r].speed = speed_of(request, r);
  const double replica_bound = makespan_bound(items, shapes) * items.unit;
  double speeds = 0.0;
  std::vector<double> replica_times;
  for (std::size_t r = 0; r < request.replicas; ++r) {
    speeds += shapes[r].speed;
    replica_times.push_back(plan.replica_cost[r] / shapes[r].speed);
  }
  const double mean = static_cast<double>(items.total) * items.unit / speeds;
  result.replica_max_over_mean = *std::max_element(replica_times.begin(), replica_times.end()) / mean;
  result.replica_bound_max_over_mean = replica_bound / mean;

  double slowest = 0.0;
  double makespan = 0.0;
  std::uint64_t most = 0;
  std::uint64_t room = 0;
  std::uint64_t tokens = 0;
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    std::vector<double> times;
    for (std::uint32_t m = plan.replica_begin[r]; m < plan.replica_begin[r + 1]; ++m) {
      double cost = request.cost.per_micro_batch;
      for (const std::uint32_t i : plan.sequences(m)) {
        cost += request.cost(request.tokens[i], request.vision_tiles.empty() ? 0 : request.vision_tiles[i]);
        tokens += request.tokens[i];
      }
      times.push_back(cost / shapes[r].speed);
      slowest = std::max(slowest, (cost - request.cost.per_micro_batch) / shapes[r].speed);
      room += request.shapes.empty() || request.shapes[r].cap == 0 ? request.cap : request.shapes[r].cap;
    }
    most = std::max<std::uint64_t>(most, times.size());
    makespan = std::max(makespan, step_time(times, request.objective, request.pipeline_stages));
  }
  const std::uint64_t least = least_micro_batches(request, items);
  result.slowest_over_bound = slowest / slowest_bound(request, items, most);
  result.makespan_over_bound = makespan / objective_bound(request, items, least, replica_bound);
  result.micro_batches = static_cast<double>(most);
  result.micro_batches_bound = static_cast<double>(least);
  if (request.cap != 0) {
    result.padding_share = 1.0 - static_cast<double>(tokens) / static_cast<double>(room);
    result.ratio_bounds = phase_ratio_bounds(request, narrow<std::uint32_t>(most));
  }
  return result;
}

}  // namespace stowage::plan
