// SPDX-License-Identifier: Apache-2.0
// Where data lies: among assignments that take equally long, one that moves fewer bytes between nodes.
#pragma once

#include <cstdint>

#include "plan/bins.hpp"

namespace stowage::plan {

// Tokens that lie on another node than the replica that gets them.
std::uint64_t tokens_between_nodes(const Request& request, const Plan& plan);

// Exchanges whole bins among replicas of one shape, then single items among bins, as long as fewer tokens cross nodes
// and no bin takes longer than the slowest took before. Bin r is replica r's.
void match_places(const Request& request, const Items& items, Bins& bins);

}  // namespace stowage::plan
