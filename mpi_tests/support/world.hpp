// SPDX-License-Identifier: Apache-2.0
// A fresh communicator of all ranks for one test, so that messages of one test never reach another.
#pragma once

#include <mpi.h>

namespace stowage::test {

class World {
 public:
  World() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~World() { MPI_Comm_free(&comm_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  MPI_Comm get() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  void barrier() const { MPI_Barrier(comm_); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace stowage::test
