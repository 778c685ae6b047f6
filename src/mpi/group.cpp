// SPDX-License-Identifier: Apache-2.0
#include "mpi/group.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/narrow.hpp"
#include "mpi/check.hpp"

namespace stowage::mpi {
namespace {

void require_tags(MPI_Comm comm) {
  int* most = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &found), "MPI_Comm_get_attr");
  constexpr int kNeeded = Group::kSpaces * Group::kOperations - 1;
  if (found == 0 || *most < kNeeded) {
    fail(STOWAGE_MPI_ERROR, "expected message tags up to {}, found {} (MPI_TAG_UB); use an MPI library that has them",
         kNeeded, found == 0 ? 0 : *most);
  }
}

}  // namespace

Group::Group(MPI_Comm all) : comm_(all) {
  check(MPI_Comm_rank(all, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(all, &size_), "MPI_Comm_size");
}

Group::Group(MPI_Comm comm, std::vector<int> ranks, int space)
    : comm_(comm), ranks_(std::move(ranks)), size_(narrow<int>(ranks_.size())), space_(space) {
  require_tags(comm);
  int me = 0;
  check(MPI_Comm_rank(comm, &me), "MPI_Comm_rank");
  rank_ = narrow<int>(std::ranges::find(ranks_, me) - ranks_.begin());
  STOWAGE_ASSERT(kAssertLight, rank_ < size_ && space >= 1 && space < kSpaces, "place {} of {}, tag space {}", rank_,
                 size_, space);
}

}  // namespace stowage::mpi
