/* SPDX-License-Identifier: Apache-2.0
 *
 * Status values: what every call of the C API returns and what the stowage programs exit with. The values are
 * pinned: a number, once given, keeps its meaning. C11; needs nothing else.
 */
#ifndef STOWAGE_STATUS_H
#define STOWAGE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum stowage_status {
  STOWAGE_OK = 0,
  STOWAGE_END = 1,              /* not an error: the stream has ended, on every rank at the same step */
  STOWAGE_INVALID_ARGUMENT = 2, /* an argument breaks the documented contract */
  STOWAGE_CONFIG_ERROR = 3,     /* the configuration is wrong or cannot be satisfied by the data */
  STOWAGE_DATA_ERROR = 4,       /* a data file is truncated, corrupt or contradictory */
  STOWAGE_IO_ERROR = 5,         /* the operating system refused: missing file, permission, device error */
  STOWAGE_MPI_ERROR = 6,        /* an MPI call failed, or the job's layout does not fit */
  STOWAGE_TIMEOUT = 7,          /* a bounded wait ran out */
  STOWAGE_PEER_LOST = 8,        /* another rank of the job gives no sign of life any more */
  STOWAGE_STATE_ERROR = 9,      /* the call is not allowed in the handle's present state */
  STOWAGE_UNSUPPORTED = 10,     /* known, but not in this build or on this system */
  STOWAGE_OUT_OF_MEMORY = 11,
  STOWAGE_INTERNAL_ERROR = 12, /* a broken invariant inside stowage: please report it */
  STOWAGE_PREEMPTED = 75       /* not an error: the run was ended from outside and its state is saved; start it again.
                                  As an exit status it is what sysexits.h calls EX_TEMPFAIL */
} stowage_status;

#ifdef __cplusplus
}
#endif

#endif
