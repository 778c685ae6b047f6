// SPDX-License-Identifier: Apache-2.0
// A small reduction that polls and can be given up.
#pragma once

#include <cstdint>
#include <span>

#include "mpi/group.hpp"
#include "mpi/wait.hpp"

namespace stowage::mpi {

// Replaces each value by the smallest that any rank has in its place. Collective over the group; as many values on
// every rank. Throws as mpi::poll does. By dissemination (Hensgen, Finkel and Manber, 1988), which suits a minimum,
// because it does not matter that a value is counted twice: log2(ranks) rounds, rounded up.
void all_reduce_min(const Group& group, std::span<std::uint64_t> values, const Idle& idle);

// True on every rank if `here` is true on every rank. Collective over the group.
bool everywhere(const Group& group, bool here, const Idle& idle);

}  // namespace stowage::mpi
