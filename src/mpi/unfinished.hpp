// SPDX-License-Identifier: Apache-2.0
// Sends that nobody waits for any more.
#pragma once

#include <mpi.h>

namespace stowage::mpi {

// Takes a send over and keeps its request until it is complete, or has failed because its receiver is dead; it looks at
// all that it keeps each time another one comes. Kept, not freed: Open MPI 5 ends the process when a send fails whose
// request was freed while under way. What is still under way when MPI is finalised is left to it. Any thread.
void leave_unfinished(MPI_Request send) noexcept;

}  // namespace stowage::mpi
