// SPDX-License-Identifier: Apache-2.0
// A small reduction that polls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mpi/wait.hpp"

namespace stowage::mpi {

// Replaces each value by the smallest that any rank has in its place. Collective over comm; as many values on every
// rank. Throws as mpi::poll does.
void all_reduce_min(MPI_Comm comm, std::span<std::uint64_t> values, const Idle& idle);

// True on every rank if `here` is true on every rank. Collective over comm.
bool everywhere(MPI_Comm comm, bool here, const Idle& idle);

}  // namespace stowage::mpi
