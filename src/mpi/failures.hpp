// SPDX-License-Identifier: Apache-2.0
// What the MPI library itself knows of dead ranks. Open MPI 5 with ULFM (User Level Failure Mitigation; mpirun
// --with-ft ulfm) tells; other libraries never do, and then nothing in here ever finds one. Found out when building.
#pragma once

#include <mpi.h>

#include <vector>

namespace stowage::mpi {

// True if the library can tell of dead ranks, provided that the launcher lets it.
bool tells_of_failures() noexcept;

// Return codes of MPI calls that say: a rank which takes part is dead.
bool means_failure(int code) noexcept;
bool means_some_failure(int code) noexcept;  // for a receive from anybody, which stays posted

// Lets receives from anybody go on although some rank of the communicator is dead.
void acknowledge_failures(MPI_Comm comm) noexcept;

// Ranks of a communicator that died, each told once. One thread.
class Failures {
 public:
  explicit Failures(MPI_Comm comm) : comm_(comm) {}

  // Those found dead since the last call; not collective, never waits.
  std::vector<int> fresh();

 private:
  [[maybe_unused]] MPI_Comm comm_;  // where the library does not tell
  std::vector<int> known_;
};

}  // namespace stowage::mpi
