// SPDX-License-Identifier: Apache-2.0
// Stage one: sequences to replicas.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plan/bins.hpp"
#include "plan/plan.hpp"

namespace stowage::plan {

struct StageOneOptions {
  bool allow_empty = true;  // false: every bin gets an item; there must be enough
  double tolerance = 0.0;   // the search ends this near to the bound, relative
  std::uint64_t moves = 0;  // budget of the local search
};

// What a request asks of stage one.
StageOneOptions stage_one_options(const Request& request);

// One bin a shape. A greedy start (the better of longest processing time and, where that is cheap, differencing), then
// local search. Nothing when no start fits the shapes.
std::optional<Bins> assign_replicas(const Items& items, std::span<const BinShape> shapes,
                                    const StageOneOptions& options);

}  // namespace stowage::plan
