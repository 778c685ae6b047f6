// SPDX-License-Identifier: Apache-2.0
// Return codes of MPI as errors.
#pragma once

#include <mpi.h>

namespace stowage::mpi {

// Throws STOWAGE_MPI_ERROR with the name of the call and MPI's own text unless rc is MPI_SUCCESS. Only of use on
// communicators whose error handler is MPI_ERRORS_RETURN, as that of every Communicator is.
void check(int rc, const char* call);

// True between MPI_Init and MPI_Finalize: the only time at which other calls are allowed.
bool usable() noexcept;

}  // namespace stowage::mpi
