// SPDX-License-Identifier: Apache-2.0
// All-to-all 1: where drawn sequences lie and how long they are, told by the ranks that hold the indexes to all.
#pragma once

#include <span>
#include <vector>

#include "loader/catalogue.hpp"
#include "mixture/draw.hpp"

namespace stowage::loader {

// One location a draw, in the order of the draws, the same on every rank. Collective over `team`; every rank passes the
// same draws.
std::vector<Location> describe(std::span<const mixture::Draw> draws, const Catalogue& catalogue, exchange::Team& team);

}  // namespace stowage::loader
