// SPDX-License-Identifier: Apache-2.0
// Which ranks share a node.
#pragma once

#include <vector>

#include "mpi/group.hpp"
#include "mpi/wait.hpp"

namespace stowage::mpi {

// [ranks of the group] the node of each rank: nodes are numbered from 0 in the order of their lowest ranks, and two
// ranks are on one node when its name (MPI_Get_processor_name) and the boot of its kernel are the same. Collective over
// the group; throws as mpi::poll does.
std::vector<int> nodes_of_ranks(const Group& group, const Idle& idle = {});

}  // namespace stowage::mpi
