// SPDX-License-Identifier: Apache-2.0
// The signals by which batch systems say that a job is going to end.
#pragma once

namespace stowage::cli {

// From now on SIGTERM and SIGUSR1 call `handler`, however often they come, and system calls that they interrupt go on.
// The handler may only do what a signal handler may.
void on_preemption(void (*handler)(int));

}  // namespace stowage::cli
