// SPDX-License-Identifier: Apache-2.0
#include "mpi/outlive.hpp"

#include <csignal>

namespace stowage::mpi {

void ignore_broken_pipes() noexcept {
  struct sigaction now {};
  if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace stowage::mpi
