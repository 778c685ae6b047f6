// SPDX-License-Identifier: Apache-2.0
// Which ranks share a node.
#pragma once

#include <mpi.h>

#include <vector>

namespace stowage::mpi {

// [ranks of comm] the node of each rank: nodes are numbered from 0 in the order of their lowest ranks, and two ranks
// are on one node when they can share memory. Collective over comm.
std::vector<int> nodes_of_ranks(MPI_Comm comm);

}  // namespace stowage::mpi
