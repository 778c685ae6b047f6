// SPDX-License-Identifier: Apache-2.0
#include "mpi/nodes.hpp"

#include "mpi/check.hpp"

namespace stowage::mpi {

std::vector<int> nodes_of_ranks(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  int lowest = rank;
  const int rc = MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  check(rc, "MPI_Bcast");

  std::vector<int> lowest_of(static_cast<std::size_t>(size));
  check(MPI_Allgather(&lowest, 1, MPI_INT, lowest_of.data(), 1, MPI_INT, comm), "MPI_Allgather");
  std::vector<int> nodes(lowest_of.size());
  int next = 0;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    const auto first = static_cast<std::size_t>(lowest_of[r]);
    nodes[r] = first == r ? next++ : nodes[first];
  }
  return nodes;
}

}  // namespace stowage::mpi
