// SPDX-License-Identifier: Apache-2.0
// Start-up: who is a trainer, who is a loader, and which communicators each of them gets.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/communicator.hpp"

namespace stowage::mpi {

enum class Role { trainer, loader };

struct Job {
  Communicator world;  // a duplicate of the given one, for messages between trainers and loaders; no collectives
  Communicator peers;  // the ranks of the own role, in world order
  Role role = Role::trainer;
  std::vector<int> trainer_ranks;  // in world, ascending; never empty
  std::vector<int> loader_ranks;   // in world, ascending; never empty
  std::vector<int> nodes;          // [ranks of world] as nodes_of_ranks() numbers them

  // The nodes of some ranks of world, in their order.
  std::vector<int> nodes_of(const std::vector<int>& ranks) const {
    std::vector<int> theirs;
    for (const int rank : ranks) theirs.push_back(nodes[static_cast<std::size_t>(rank)]);
    return theirs;
  }
};

// The tag of `world` that is in use during split_job.
inline constexpr int kRoleTag = 23101;

// Collective over `world`, once a communicator, and the last thing that trainers and loaders do together. Every rank
// of the job gets the same answer, also when it is an error:
//   STOWAGE_TIMEOUT    some ranks did not call within `timeout`; says how many, and which
//   STOWAGE_MPI_ERROR  there are no trainers or no loaders, or MPI is not initialised
Job split_job(MPI_Comm world, Role mine, Seconds timeout);

}  // namespace stowage::mpi
