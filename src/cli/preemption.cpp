// SPDX-License-Identifier: Apache-2.0
#include "cli/preemption.hpp"

#include <csignal>
#include <initializer_list>

namespace stowage::cli {

void on_preemption(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
}

}  // namespace stowage::cli
