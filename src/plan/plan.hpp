// SPDX-License-Identifier: Apache-2.0
// What the assignment of one step is asked and what it answers. Pure: no MPI, no I/O, no clock in any decision.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "plan/cost.hpp"

namespace stowage::plan {

enum class Objective {
  makespan,    // of a data-parallel step: the replica with the most work
  pipeline,    // (micro-batches + stages - 1) x the slowest micro-batch, of the slowest replica
  one_f_one_b  // the simulated 1F1B schedule of the slowest replica, micro-batches in their order
};

enum class MicroBatchOrder {
  drawn,      // by the first sequence drawn
  small_ends  // the costliest in the middle: the pipeline fills and drains with small ones
};

// A replica that is not like the others.
struct ReplicaShape {
  double speed = 1.0;         // work a unit of time, relative; > 0
  std::uint32_t cap = 0;      // tokens a micro-batch of it holds; 0 = Request::cap
  std::uint32_t longest = 0;  // padded tokens of the longest sequence it takes; 0 = its cap

  bool operator==(const ReplicaShape&) const = default;
};

// Where payload lies and is wanted. Both empty: nothing is known, and bytes between nodes play no part.
struct Places {
  std::span<const std::uint32_t> node_of_sequence;  // [sequences]
  std::span<const std::uint32_t> node_of_replica;   // [replicas]
};

// One step to plan. Arrays are by sequence (in drawn order) and only borrowed.
struct Request {
  std::span<const std::uint32_t> tokens;  // real length of each sequence; padded length must not exceed the cap
  std::uint32_t replicas = 1;             // >= 1
  std::uint32_t cap = 0;                  // tokens a micro-batch holds, padding of segments included; >= 1
  std::uint32_t pad_segments_to = 1;      // each segment takes its length rounded up to a multiple of this
  bool equal_counts = true;               // every replica gets the same number of micro-batches
  CostModel cost;

  std::span<const std::uint32_t> vision_tiles;  // of each sequence; empty: text alone
  std::uint32_t tile_cap = 0;                   // vision tiles a micro-batch holds; 0 = no limit
  std::span<const ReplicaShape> shapes;         // of each replica; empty: all alike
  bool allow_empty_replicas = true;             // false: an error when there are fewer sequences than replicas
  Objective objective = Objective::makespan;
  std::uint32_t pipeline_stages = 1;      // >= 1; for the pipeline objectives
  std::uint32_t extra_micro_batches = 1;  // above the least count that objectives may choose where it pays
  MicroBatchOrder micro_batch_order = MicroBatchOrder::drawn;
  Places places;
  std::uint32_t moves_per_sequence = 512;  // budget of the local search, in exchanges looked at
};

// Two nested divisions in compressed form: replica r owns micro-batches [replica_begin[r], replica_begin[r+1]), and
// micro-batch m owns sequences order[micro_batch_begin[m]] ... order[micro_batch_begin[m+1] - 1]. Every sequence
// stands exactly once in `order`. A micro-batch without sequences is legal only where equal counts demand it.
struct Plan {
  std::vector<std::uint32_t> order;              // [sequences] indices into Request::tokens
  std::vector<std::uint32_t> micro_batch_begin;  // [micro_batches + 1]
  std::vector<std::uint32_t> replica_begin;      // [replicas + 1]
  std::vector<double> replica_cost;              // [replicas] sum of segment costs

  std::uint32_t replicas() const noexcept { return static_cast<std::uint32_t>(replica_begin.size() - 1); }
  std::uint32_t micro_batches() const noexcept { return static_cast<std::uint32_t>(micro_batch_begin.size() - 1); }
  std::span<const std::uint32_t> sequences(std::uint32_t micro_batch) const noexcept {
    return std::span(order).subspan(micro_batch_begin[micro_batch],
                                    micro_batch_begin[micro_batch + 1] - micro_batch_begin[micro_batch]);
  }

  Digest digest() const;  // of the assignment; equal plans have equal digests on every rank
};

// The assignment (docs/assignment.md): deterministic in the request alone, whatever the number of threads; a permuted
// request gets the same division of its sequences. With vision tiles replicas must be alike, and counts are equal.
// Throws STOWAGE_INVALID_ARGUMENT for arguments that contradict each other or cannot be met, among them a sequence that
// is longer than the cap.
Plan make_plan(const Request& request);

// Stage one alone, for requests without a cap: every replica has one micro-batch, of whatever length. Throws as
// make_plan, except for the cap, which is ignored.
Plan replica_plan(const Request& request);

// max / mean of the values; 1 for an empty or all-zero list.
double max_over_mean(std::span<const double> values) noexcept;

}  // namespace stowage::plan
