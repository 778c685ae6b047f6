// SPDX-License-Identifier: Apache-2.0
// What a process needs in order to outlive other ranks.
#pragma once

namespace stowage::mpi {

// From now on writing to a connection whose other end is gone is an error of the call instead of the end of this
// process, unless the program has a handler of its own: MPI over TCP writes to dead ranks without further ado, which
// raises SIGPIPE.
void ignore_broken_pipes() noexcept;

}  // namespace stowage::mpi
