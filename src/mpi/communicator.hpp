// SPDX-License-Identifier: Apache-2.0
// An owned communicator.
#pragma once

#include <mpi.h>

#include <span>

#include "mpi/wait.hpp"

namespace stowage::mpi {

// Move-only. Errors on it are returned (MPI_ERRORS_RETURN). Freed with the object while MPI is usable; freeing is
// formally collective, so every member destroys its own after its last message.
class Communicator {
 public:
  Communicator() = default;
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;

  // Collective over `comm`; polls, so a rank that never comes ends in STOWAGE_TIMEOUT after the deadline.
  static Communicator duplicate(MPI_Comm comm, const Idle& idle, Deadline deadline);

  // Collective over the listed ranks of `comm` alone (MPI_Comm_create_group), which are ascending and hold the caller;
  // the new ranks are their places in the list. Ranks that create several groups at a time choose different tags.
  static Communicator of_ranks(MPI_Comm comm, std::span<const int> ranks, int tag);

  MPI_Comm get() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  explicit operator bool() const noexcept { return comm_ != MPI_COMM_NULL; }

 private:
  explicit Communicator(MPI_Comm comm);
  void free() noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace stowage::mpi
