// SPDX-License-Identifier: Apache-2.0
#include "mpi/failures.hpp"

#include <algorithm>
#include <numeric>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#if defined(OMPI_HAVE_MPI_EXT_FTMPI) && OMPI_HAVE_MPI_EXT_FTMPI
#define STOWAGE_ULFM 1
#else
#define STOWAGE_ULFM 0
#endif

namespace stowage::mpi {

#if STOWAGE_ULFM

namespace {

int class_of(int code) noexcept {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

}  // namespace

bool tells_of_failures() noexcept {
  return true;
}

bool means_failure(int code) noexcept {
  return code != MPI_SUCCESS && class_of(code) == MPIX_ERR_PROC_FAILED;
}

bool means_some_failure(int code) noexcept {
  return code != MPI_SUCCESS && class_of(code) == MPIX_ERR_PROC_FAILED_PENDING;
}

void acknowledge_failures(MPI_Comm comm) noexcept {
  MPIX_Comm_failure_ack(comm);
}

std::vector<int> Failures::fresh() {
  std::vector<int> found;
  MPI_Group failed = MPI_GROUP_NULL;
  if (MPIX_Comm_failure_ack(comm_) != MPI_SUCCESS || MPIX_Comm_failure_get_acked(comm_, &failed) != MPI_SUCCESS) {
    return found;
  }
  int count = 0;
  MPI_Group_size(failed, &count);
  if (static_cast<std::size_t>(count) > known_.size()) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm_, &all);
    std::vector<int> places(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), 0);
    std::vector<int> ranks(places.size());
    MPI_Group_translate_ranks(failed, count, places.data(), all, ranks.data());
    MPI_Group_free(&all);
    for (const int rank : ranks) {
      if (std::ranges::find(known_, rank) != known_.end()) continue;
      known_.push_back(rank);
      found.push_back(rank);
    }
  }
  MPI_Group_free(&failed);
  return found;
}

#else

bool tells_of_failures() noexcept {
  return false;
}
bool means_failure(int /*code*/) noexcept {
  return false;
}
bool means_some_failure(int /*code*/) noexcept {
  return false;
}
void acknowledge_failures(MPI_Comm /*comm*/) noexcept {}
std::vector<int> Failures::fresh() {
  return {};
}

#endif

}  // namespace stowage::mpi
