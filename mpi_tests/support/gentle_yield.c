// SPDX-License-Identifier: Apache-2.0
// Preloaded where tests run more ranks than there are cores: whoever gives way sleeps, and ranks of Slurm's steps weigh
// little against everything else.
//
// Ranks that wait inside Open MPI give way by sched_yield() (mpi_yield_when_idle), thousands of times a second. With
// sched_autogroup_enabled, Linux 6.18's scheduler, and probably others since 6.6, then keeps everything else from
// running for seconds to minutes, once some processes of a session yield or compute and others of it sleep for parts of
// a millisecond: also other programs, and the kernel's own threads, without which no packet arrives any more. A machine
// with a core a rank does not come into this.
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int sched_yield(void) {
  const struct timespec for_a_moment = {0, 20000};
  return nanosleep(&for_a_moment, NULL);
}

// For the whole session, which is the step's own and ends with it.
__attribute__((constructor)) static void weigh_little(void) {
  if (getenv("SLURM_PROCID") == NULL) return;
  const int autogroup = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (autogroup < 0) return;  // a kernel without them
  const ssize_t written = write(autogroup, "15", 2);
  (void)written;  // refused if another rank has just done it
  close(autogroup);
}
