// SPDX-License-Identifier: Apache-2.0
#include "loader/statistics.hpp"

#include <algorithm>
#include <cstring>

#include "loader/construct.hpp"

namespace stowage::loader {
namespace {

// max/mean cost over replicas when nothing is planned.
double max_over_mean_as_drawn(const plan::Request& request) {
  const std::size_t n = request.tokens.size();
  std::vector<double> cost(request.replicas, 0.0);
  for (std::size_t i = 0; i < n; ++i) cost[i * request.replicas / n] += request.cost(request.tokens[i]);
  return plan::max_over_mean(cost);
}

}  // namespace

PlanStatistics& PlanStatistics::operator+=(const PlanStatistics& other) noexcept {
  steps += other.steps;
  sequences += other.sequences;
  tokens += other.tokens;
  row_tokens += other.row_tokens;
  micro_batches += other.micro_batches;
  drawn_max_over_mean += other.drawn_max_over_mean;
  planned_max_over_mean += other.planned_max_over_mean;
  return *this;
}

void PlanStatistics::add(const StepBatch& batch, const plan::Request& request, const plan::Plan& plan,
                         const config::MicroBatch& micro_batch) {
  ++steps;
  sequences += batch.sequences;
  micro_batches += plan.micro_batches();
  drawn_max_over_mean += max_over_mean_as_drawn(request);
  planned_max_over_mean += plan::max_over_mean(plan.replica_cost);
  for (std::uint32_t m = 0; m < plan.micro_batches(); ++m) {
    const deliver::MicroShape shape = micro_batch_shape(batch, plan.sequences(m), micro_batch);
    tokens += shape.tokens_real;
    row_tokens += shape.length;
  }
}

RankStatistics& RankStatistics::operator+=(const RankStatistics& other) {
  bytes_read += other.bytes_read;
  bytes_cached += other.bytes_cached;
  reads += other.reads;
  bytes_exchanged += other.bytes_exchanged;
  bytes_delivered += other.bytes_delivered;
  bytes_shared += other.bytes_shared;
  bytes_sent += other.bytes_sent;
  bytes_if_copied += other.bytes_if_copied;
  return *this;
}

RankStatistics sum_over(exchange::Team& team, const RankStatistics& mine) {
  static_assert(std::is_trivially_copyable_v<RankStatistics>);
  const exchange::Gathered gathered = team.all_gather(bytes_of(mine));
  RankStatistics sum;
  for (int rank = 0; rank < team.size(); ++rank) {
    RankStatistics one;
    std::memcpy(&one, gathered.of(rank).data(), sizeof(one));
    sum += one;
  }
  return sum;
}

}  // namespace stowage::loader
