// SPDX-License-Identifier: Apache-2.0
// Preloaded where tests run more ranks than there are cores: whoever gives way sleeps.
//
// Ranks that wait inside Open MPI give way by sched_yield() (mpi_yield_when_idle), thousands of times a second.
// Linux 6.18's scheduler, and probably others since 6.6, then keeps everything else from running for seconds to
// minutes, once some processes of a session yield like that and others of it sleep for parts of a millisecond: also
// other programs, and the kernel's own threads, without which no packet arrives any more. A machine with a core a rank
// does not come into this.
#include <time.h>

int sched_yield(void) {
  const struct timespec for_a_moment = {0, 20000};
  return nanosleep(&for_a_moment, NULL);
}
