// SPDX-License-Identifier: Apache-2.0
// Published and common assignments, each written from its description. All take a checked request (methods.hpp).
#pragma once

#include "plan/plan.hpp"

namespace stowage::plan::baselines {

// Contiguous blocks of the drawn order to replicas, micro-batches filled in that order.
Plan as_drawn(const Request& request);

// Sorted by length and dealt in turn, so that the replicas' k-th sequences are alike; micro-batches filled in that
// order.
Plan length_grouped(const Request& request);

// First fit in drawn order into packs, packs dealt in turn. No cost: what Megatron-Core's dp_balanced scheduling does.
Plan first_fit(const Request& request);

// Longest processing time first in both stages, with the fewest micro-batches that this fills.
Plan lpt(const Request& request);

// The differencing method in both stages, with the fewest micro-batches whose parts stay under the cap; `equal`: with
// the same number of sequences in every part, as verl balances batches.
Plan karmarkar_karp(const Request& request);
Plan karmarkar_karp_equal(const Request& request);

// Iterative sampling and filtering of OmniBal (Y. Yao et al., 2024), section on balanced dynamic mini-batches: random
// groups up to a number of tiles and of tokens; groups that come near enough to either are kept, the samples of the
// others are grouped anew, and so on. Its parameter, the groups' size as a share of the cap, is swept and the best
// result is returned. Samples larger than a group are dropped.
Plan omnibal(const Request& request);

}  // namespace stowage::plan::baselines
