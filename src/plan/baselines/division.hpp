// SPDX-License-Identifier: Apache-2.0
// What the baselines share: plain lists, and a plan made of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace stowage::plan::baselines {

using Indices = std::vector<std::uint32_t>;  // sequences of the request
using Packs = std::vector<Indices>;          // micro-batches of one replica
using Division = std::vector<Packs>;         // replicas

std::uint64_t padded(const Request& request, std::uint32_t sequence);
std::uint32_t tiles(const Request& request, std::uint32_t sequence);

// True when the sequences fit one micro-batch; always with a cap of 0.
bool fits(const Request& request, const Indices& sequences);

// Micro-batches filled one after another in the given order, a new one when the next sequence does not fit.
Packs next_fit(const Request& request, const Indices& sequences);

// Splits the micro-batch with most sequences until there are `count`; the rest are empty when no sequence is left over.
void split_to(Packs& packs, std::size_t count);

// Where the request asks for equal counts, replicas with fewer micro-batches split theirs.
Plan to_plan(const Request& request, Division division);

}  // namespace stowage::plan::baselines
