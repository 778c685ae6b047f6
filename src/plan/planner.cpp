// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/narrow.hpp"
#include "plan/assemble.hpp"
#include "plan/balance.hpp"
#include "plan/bounds.hpp"
#include "plan/differencing.hpp"
#include "plan/locality.hpp"
#include "plan/lpt.hpp"
#include "plan/objective.hpp"
#include "plan/order.hpp"
#include "plan/stage_one.hpp"

namespace stowage::plan {

namespace {

constexpr std::uint64_t kMakespanShare = 4;
constexpr double kMicroBatchTolerance = 1e-3;
constexpr std::size_t kPackedAtOnce = std::size_t{1} << 25;  // micro-batches x items up to which it takes a few ms
constexpr std::size_t kLevelled = std::size_t{1} << 16;      // micro-batches up to which all are searched together

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Micro-batches a replica that tokens and tiles call for.
std::uint64_t least_count(const Items& items, std::span<const BinShape> micro_batches) {
  std::uint64_t tokens = 0;
  std::uint64_t tiles = 0;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    tokens += items.tokens[k];
    tiles += items.tiles_of(k);
  }
  std::uint64_t token_caps = 0;
  std::uint64_t largest_cap = 0;
  std::uint64_t tile_caps = 0;
  for (const BinShape& shape : micro_batches) {
    token_caps += shape.tokens;
    largest_cap = std::max(largest_cap, shape.tokens);
    tile_caps = shape.tiles > kNoLimit - tile_caps ? kNoLimit : tile_caps + shape.tiles;
  }
  return std::max({div_ceil(tokens, token_caps), div_ceil(tiles, tile_caps),
                   div_ceil<std::uint64_t>(bin_count_bound(items.tokens, largest_cap), micro_batches.size())});
}

}  // namespace

Planner::Planner(const Request& request) : request_(request), items_(sorted_items(request)) {
  std::vector<BinShape> shapes;
  for (std::uint32_t r = 0; r < request.replicas; ++r) shapes.push_back(micro_batch_shape(r));
  least_count_ = narrow<std::uint32_t>(least_count(items_, shapes), "micro-batches of a replica");
  count_ = least_count_;
  assign();
}

BinShape Planner::micro_batch_shape(std::uint32_t replica) const {
  BinShape shape;
  shape.tokens = request_.cap;
  if (request_.tile_cap != 0) shape.tiles = request_.tile_cap;
  if (!request_.shapes.empty()) {
    const ReplicaShape& own = request_.shapes[replica];
    shape.speed = own.speed;
    if (own.cap != 0) shape.tokens = own.cap;
    if (own.longest != 0) shape.longest = own.longest;
  }
  return shape;
}

void Planner::assign() {
  const StageOneOptions options = stage_one_options(request_);
  while (true) {
    std::vector<BinShape> shapes;
    for (std::uint32_t r = 0; r < request_.replicas; ++r) {
      BinShape shape = micro_batch_shape(r);
      shape.longest = static_cast<std::uint32_t>(std::min<std::uint64_t>(shape.longest, shape.tokens));
      if (request_.equal_counts) {
        shape.tokens *= count_;
        if (request_.tile_cap != 0) shape.tiles *= count_;
      } else {
        shape.tokens = BinShape().tokens;
        shape.tiles = BinShape().tiles;
      }
      shapes.push_back(shape);
    }
    if (auto bins = assign_replicas(items_, shapes, options)) {
      replicas_ = std::move(*bins);
      if (!request_.places.node_of_replica.empty()) match_places(request_, items_, replicas_);
      return;
    }
    if (!request_.equal_counts || count_ > items_.size()) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "{} sequences cannot be divided among {} replicas within the replicas' caps and longest sequences",
           items_.size(), request_.replicas);
    }
    ++count_;
  }
}

std::optional<Packing> Planner::pack_count(std::uint32_t replica, std::uint32_t count) const {
  StageTwoOptions options;
  options.tolerance = kMicroBatchTolerance;
  options.moves = std::uint64_t{request_.moves_per_sequence} * replicas_[replica].items.size();
  // Without a pipeline the slowest micro-batch holds nobody up.
  if (request_.objective == Objective::makespan) options.moves /= kMakespanShare;
  return pack_micro_batches(items_, replicas_[replica].items, micro_batch_shape(replica), count, options);
}

std::optional<Packing> Planner::pack_own_count(std::uint32_t replica) const {
  const std::uint32_t least = least_micro_batches(items_, replicas_[replica].items, micro_batch_shape(replica));
  std::optional<Packing> best;
  for (std::uint32_t count = least; !best || count <= least + request_.extra_micro_batches; ++count) {
    auto packing = pack_count(replica, count);
    if (packing && (!best || step_time_of(replica, *packing) < step_time_of(replica, *best))) best = std::move(packing);
    if (best && request_.objective == Objective::makespan) break;
  }
  return best;
}

std::optional<Packing> Planner::pack(std::uint32_t replica) const {
  return request_.equal_counts ? pack_count(replica, count_) : pack_own_count(replica);
}

double Planner::step_time_of(std::uint32_t replica, const Packing& packing) const {
  const double speed = micro_batch_shape(replica).speed;
  std::vector<double> times;
  for (const std::uint32_t m : micro_batch_order(items_, packing, request_.micro_batch_order)) {
    times.push_back((static_cast<double>(packing.load[m]) * items_.unit + request_.cost.per_micro_batch) / speed);
  }
  return step_time(times, request_.objective, request_.pipeline_stages);
}

// Where some replica's own sequences do not fit the count, those of all replicas may. Worth it with a pipeline, where
// one more micro-batch for all costs more than replicas that are a little less even.
std::optional<std::vector<Packing>> Planner::pack_all_at_once() const {
  const std::size_t total = std::size_t{count_} * request_.replicas;
  if (request_.objective == Objective::makespan || !request_.shapes.empty() ||
      !request_.places.node_of_replica.empty() || !request_.allow_empty_replicas ||
      total * items_.size() > kPackedAtOnce) {
    return std::nullopt;
  }
  Bins bins(total);
  for (Bin& bin : bins) bin.shape = micro_batch_shape(0);
  std::vector<std::uint32_t> all(items_.size());
  std::iota(all.begin(), all.end(), 0U);
  if (!best_fit_decreasing(items_, all, bins)) return std::nullopt;
  std::sort(bins.begin(), bins.end(),
            [](const Bin& a, const Bin& b) { return std::tie(a.load, a.items) > std::tie(b.load, b.items); });
  std::vector<Work> loads;
  for (const Bin& bin : bins) loads.push_back(bin.load);
  std::vector<Packing> packings;
  for (const auto& own : karmarkar_karp(loads, request_.replicas, Counts::equal)) {
    Bins micro_batches;
    for (const std::uint32_t b : own) micro_batches.push_back(bins[b]);
    fill_empty(items_, micro_batches);
    packings.push_back(to_packing(micro_batches));
  }
  return packings;
}

// With a pipeline the slowest micro-batch of all replicas decides, so micro-batches of all are searched as one
// division.
void Planner::level_slowest(std::vector<Packing>& packings) const {
  if (request_.objective == Objective::makespan || !request_.places.node_of_replica.empty() ||
      std::size_t{count_} * request_.replicas > kLevelled) {
    return;
  }
  Bins bins;
  std::vector<BinShape> shapes;
  for (std::uint32_t r = 0; r < request_.replicas; ++r) {
    for (std::size_t m = 0; m < packings[r].count(); ++m) {
      bins.push_back({micro_batch_shape(r), {}});
      shapes.push_back(bins.back().shape);
      for (const std::uint32_t item : packings[r].micro_batch(m)) bins.back().add(items_, item);
    }
  }
  if (bins.empty()) return;
  BalanceOptions options;
  options.target = makespan_bound(items_, shapes) * (1.0 + kMicroBatchTolerance);
  options.keep_filled = true;
  MoveBudget budget(std::uint64_t{request_.moves_per_sequence} * items_.size());
  balance(items_, bins, options, budget);
  std::size_t begin = 0;
  for (Packing& packing : packings) {
    const auto first = bins.begin() + static_cast<std::ptrdiff_t>(begin);
    Bins own(first, first + static_cast<std::ptrdiff_t>(packing.count()));
    begin += packing.count();
    fill_empty(items_, own);  // where sequences came to a replica that had fewer than micro-batches
    packing = to_packing(own);
  }
}

bool Planner::settle(std::vector<std::optional<Packing>> packings) {
  const bool fits =
      std::all_of(packings.begin(), packings.end(), [](const auto& packing) { return packing.has_value(); });
  std::optional<std::vector<Packing>> whole;
  if (fits) {
    whole.emplace();
    for (auto& packing : packings) whole->push_back(std::move(*packing));
  } else {
    whole = pack_all_at_once();
  }
  if (whole) {
    std::vector<Packing>& found = *whole;
    level_slowest(found);
    double time = 0.0;
    for (std::uint32_t r = 0; r < request_.replicas; ++r) time = std::max(time, step_time_of(r, found[r]));
    if (best_.empty() || time < best_time_) {
      best_ = std::move(found);
      best_time_ = time;
    }
  }
  const bool more_may_pay =
      request_.objective != Objective::makespan && count_ < least_count_ + request_.extra_micro_batches;
  if (!best_.empty() && (!request_.equal_counts || !more_may_pay)) return true;
  ++count_;
  assign();
  return false;
}

Plan Planner::plan() const {
  return to_plan(request_, items_, best_);
}

}  // namespace stowage::plan
