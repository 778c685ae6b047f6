// SPDX-License-Identifier: Apache-2.0
// MPI for the length of a command.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <initializer_list>

#include "stowage/status.h"

namespace stowage::cli {

// True if a launcher (mpirun, srun) has started this process as a rank of a job. Commands that work alone or in a job
// leave MPI untouched when alone.
inline bool launched_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

// Neither end of MPI can be abandoned, and both wait for every rank of the job, so a watchdog stands by.
class MpiSession {
 public:
  // Ends the process with STOWAGE_TIMEOUT and a message if the job has not formed within `startup_seconds`.
  explicit MpiSession(double startup_seconds);

  // Ends the process if it ends with an error, or ranks may be lost, and the other ranks do not come to the end as
  // well.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  // Ranks of the job are lost, and MPI_Finalize may wait for them for ever: ends the process here, with success.
  [[noreturn]] static void leave_unfinalised();

  // Also a command that ends well is not to wait for the other ranks for ever: some may have been lost, of which this
  // rank need not have heard.
  void may_have_lost_ranks() noexcept { may_have_lost_ranks_ = true; }

  // What the command is going to return.
  int ends_with(int status) noexcept { return status_ = status; }

 private:
  int status_ = STOWAGE_OK;
  bool may_have_lost_ranks_ = false;
};

}  // namespace stowage::cli
