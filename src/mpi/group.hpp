// SPDX-License-Identifier: Apache-2.0
// Some ranks of a communicator that exchange messages as if they had one of their own.
#pragma once

#include <mpi.h>

#include <vector>

namespace stowage::mpi {

// Made without any communication, so also when ranks of the communicator are gone, and given up as easily. Groups over
// one communicator are told apart by their tag space: what one of them has left unfinished never reaches another.
// Copyable; the communicator is borrowed.
class Group {
 public:
  static constexpr int kOperations = 256;  // tags of one group
  static constexpr int kSpaces = 1 << 22;  // MPI allows tags up to 2^31 - 1 here; checked on construction

  // All ranks of `all`, in tag space 0. Implicit: a communicator is the usual group.
  Group(MPI_Comm all);  // NOLINT(google-explicit-constructor)

  // ranks: of `comm`, by place in the group, the caller's own included; space in [1, kSpaces).
  Group(MPI_Comm comm, std::vector<int> ranks, int space);

  MPI_Comm comm() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }  // of this process, in the group
  int size() const noexcept { return size_; }
  int space() const noexcept { return space_; }

  int in_comm(int rank) const noexcept { return ranks_.empty() ? rank : ranks_[static_cast<std::size_t>(rank)]; }

  // The tag of an operation in [0, kOperations).
  int tag(int operation) const noexcept { return space_ * kOperations + operation; }

 private:
  MPI_Comm comm_;
  std::vector<int> ranks_;  // empty: the communicator's own
  int rank_ = 0;
  int size_ = 0;
  int space_ = 0;
};

}  // namespace stowage::mpi
