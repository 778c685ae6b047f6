// SPDX-License-Identifier: Apache-2.0
#include "mpi/reduce.hpp"

#include <algorithm>
#include <vector>

#include "base/narrow.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"

namespace stowage::mpi {

void all_reduce_min(MPI_Comm comm, std::span<std::uint64_t> values, const Idle& idle) {
  Lent<std::vector<std::uint64_t>> least({values.begin(), values.end()});
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(MPI_IN_PLACE, least->data(), narrow<int>(values.size()), MPI_UINT64_T, MPI_MIN, comm, &request),
        "MPI_Iallreduce");
  wait(request, idle, Deadline::never(), "the other ranks' part of a reduction");
  least.give_back();
  std::copy(least->begin(), least->end(), values.begin());
}

bool everywhere(MPI_Comm comm, bool here, const Idle& idle) {
  std::uint64_t all = here ? 1 : 0;
  all_reduce_min(comm, std::span(&all, 1), idle);
  return all != 0;
}

}  // namespace stowage::mpi
