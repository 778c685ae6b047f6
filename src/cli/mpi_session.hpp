// SPDX-License-Identifier: Apache-2.0
// MPI for the length of a command.
#pragma once

#include <mpi.h>

#include <cstdlib>

namespace stowage::cli {

// True if a launcher (mpirun, srun) has started this process as a rank of a job. Commands that work alone or in a job
// leave MPI untouched when alone.
inline bool launched_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

class MpiSession {
 public:
  MpiSession() {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  ~MpiSession() { MPI_Finalize(); }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

}  // namespace stowage::cli
