// SPDX-License-Identifier: Apache-2.0
// Local search that shortens the longest bin of a division. The same for replicas and for micro-batches.
#pragma once

#include <cstdint>

#include "plan/bins.hpp"
#include "plan/exchange.hpp"

namespace stowage::plan {

struct BalanceOptions {
  double target = 0.0;       // makespan at which the search ends: a lower bound
  bool keep_filled = false;  // no bin may become empty
};

// Never makes the longest bin longer; keeps every bin inside its shape. Bins' items need not be sorted before and are
// ascending after. Stops at the target, at a local optimum or when the budget is spent.
void balance(const Items& items, Bins& bins, const BalanceOptions& options, MoveBudget& budget);

}  // namespace stowage::plan
