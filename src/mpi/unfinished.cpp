// SPDX-License-Identifier: Apache-2.0
#include "mpi/unfinished.hpp"

#include <mutex>
#include <vector>

namespace stowage::mpi {
namespace {

// Whether or not it went well: after a failure there is nothing left to look at either.
bool over(MPI_Request& request) noexcept {
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
}

}  // namespace

void leave_unfinished(MPI_Request send) noexcept {
  static std::mutex mutex;
  static std::vector<MPI_Request> unfinished;
  const std::scoped_lock lock(mutex);
  std::erase_if(unfinished, over);
  if (!over(send)) unfinished.push_back(send);
}

}  // namespace stowage::mpi
