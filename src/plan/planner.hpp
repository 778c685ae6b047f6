// SPDX-License-Identifier: Apache-2.0
// The assignment engine in the two stages that ranks may share: every rank runs stage one, then packs the replicas it
// is given; what the ranks packed, put together, is the plan that one rank alone would have made.
//
//   Planner planner(request);
//   do {
//     mine = for my replicas r: planner.pack(r)          // pure: any rank, any thread, any order
//     packings = everyone's, by replica                  // an all-gather where ranks share
//   } while (!planner.settle(packings));                 // same answer everywhere, from the same packings
//   Plan plan = planner.plan();
//
// A settle() that asks for another round has chosen another count of micro-batches to try.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/bins.hpp"
#include "plan/stage_two.hpp"

namespace stowage::plan {

class Planner {
 public:
  // The request must have passed check() (plan.cpp) and outlive the planner.
  explicit Planner(const Request& request);

  // Stage two of one replica for the count now tried; nothing when it does not fit.
  std::optional<Packing> pack(std::uint32_t replica) const;

  // Takes [replicas] packings; true when the plan is final.
  bool settle(std::vector<std::optional<Packing>> packings);

  Plan plan() const;

  const Items& items() const noexcept { return items_; }

 private:
  void assign();  // stage one for the count now tried, upwards until it fits
  std::optional<Packing> pack_count(std::uint32_t replica, std::uint32_t count) const;
  std::optional<Packing> pack_own_count(std::uint32_t replica) const;
  double step_time_of(std::uint32_t replica, const Packing& packing) const;
  std::optional<std::vector<Packing>> pack_all_at_once() const;
  void level_slowest(std::vector<Packing>& packings) const;
  BinShape micro_batch_shape(std::uint32_t replica) const;

  const Request& request_;
  Items items_;
  std::uint32_t least_count_ = 0;  // of micro-batches a replica, by the lower bound
  std::uint32_t count_ = 0;        // tried now, where counts are equal
  Bins replicas_;
  std::vector<Packing> best_;  // [replicas] of the best count so far
  double best_time_ = 0.0;
};

}  // namespace stowage::plan
