/* SPDX-License-Identifier: Apache-2.0
 *
 * stowage: the C API, the one header that a trainer needs. C11 and C++.
 *
 * The whole use, in a trainer that runs beside loader ranks (mpirun -n 4 TRAINER : -n 2 stowage serve demo.yaml):
 *
 *   MPI_Init(&argc, &argv);
 *   stowage_trainer *trainer = NULL;
 *   if (stowage_trainer_create(MPI_COMM_WORLD, NULL, &trainer) != STOWAGE_OK) die(stowage_last_message());
 *   const stowage_step *step = NULL;
 *   stowage_status status;
 *   while ((status = stowage_step_acquire(trainer, &step)) == STOWAGE_OK) {
 *     for (uint32_t m = 0; m < step->micro_batch_count; ++m) train(&step->micro_batches[m]);
 *     stowage_step_release(trainer, &step);
 *   }
 *   if (status != STOWAGE_END) die(stowage_last_message());
 *   stowage_trainer_destroy(&trainer);
 *   MPI_Finalize();
 *
 * Conventions
 *  - Every call returns a status (stowage/status.h) and takes the handle first; what a call creates comes out through
 *    its last argument. The text that belongs to the last failed call of this thread is stowage_last_message().
 *  - "Collective" says which ranks must call together, "Not collective" that a rank may call when it likes. Trainers
 *    and loaders share no collective after stowage_trainer_create has returned.
 *  - The library never calls MPI_Init, never aborts, exits, forks or writes to standard output. MPI must be initialised
 *    (MPI_THREAD_FUNNELED is enough) before stowage_trainer_create, and not finalised before destroy.
 *  - A handle may be used by one thread at a time; with MPI_THREAD_FUNNELED that is the thread that called MPI_Init.
 *  - Arrays are borrowed: they stay valid and unchanged until the step is released.
 *  - No call waits for ever: see stowage_trainer_options.
 */
#ifndef STOWAGE_H
#define STOWAGE_H

#include <mpi.h>
#include <stdint.h>

#include "stowage/status.h"

#define STOWAGE_VERSION_MAJOR 0
#define STOWAGE_VERSION_MINOR 1
#define STOWAGE_VERSION_PATCH 0
#define STOWAGE_VERSION ((STOWAGE_VERSION_MAJOR * 1000 + STOWAGE_VERSION_MINOR) * 1000 + STOWAGE_VERSION_PATCH)

#if defined(__GNUC__)
#define STOWAGE_API __attribute__((visibility("default")))
#else
#define STOWAGE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A trainer's connection to its data. Opaque. */
typedef struct stowage_trainer stowage_trainer;

/* What a trainer may choose. Fill with stowage_trainer_options_init, then change what differs. */
typedef struct stowage_trainer_options {
  int32_t replica;        /* data-parallel rank in [0, replicas); -1 (default): this trainer's rank among the trainers,
                             legal when there are as many trainers as replicas. Trainers that name one replica share
                             its data: each gets the part that its ranks below say */
  double startup_seconds; /* longest wait in create for the job's ranks and for the loaders to open every source;
                             default 300 */
  double acquire_seconds; /* longest wait in acquire for one step; 0 (default): as the configuration says */

  /* The trainer's place among the ranks of its replica; each rank in [0, size), default 0 of 1. They decide which
     arrays it gets and which slice of them: see stowage_micro_batch. */
  int32_t tensor_parallel_rank; /* peers of all tensor-parallel ranks get the same */
  int32_t tensor_parallel_size;
  int32_t context_parallel_rank;
  int32_t context_parallel_size;  /* must be the configuration's context_parallel */
  int32_t pipeline_parallel_rank; /* stage of the model */
  int32_t pipeline_parallel_size;

  /* Which step the stream goes on with, where the configuration has checkpoints: -1 (default) the newest checkpoint, or
     the beginning if there is none; else exactly this step, the one that the trainer's own model checkpoint belongs to.
     Equal on all trainers. A step between two checkpoints is reached from the one before it, exactly. */
  int64_t resume_step;
} stowage_trainer_options;

/* What is known of the run from the start. */
typedef struct stowage_info {
  uint64_t steps;              /* in the whole run; 0 where only the stream can tell (batches measured in tokens) */
  uint64_t first_step;         /* the first that acquire gives; not 0 where a run goes on */
  uint32_t replicas;           /* data-parallel size */
  uint32_t replica;            /* this trainer's */
  uint32_t micro_batch_tokens; /* cap of a micro-batch */
  uint32_t steps_held;         /* steps that may be held (acquired and not released) at once */
  uint32_t sources;
  int32_t trainers; /* ranks; 1 and 0 in embedded use */
  int32_t loaders;
} stowage_info;

/* Where a segment comes from. */
typedef struct stowage_segment {
  uint64_t sequence; /* index within the source */
  uint64_t epoch;    /* of the source, from 0 */
  uint64_t begin;    /* first token within the sequence; > 0 for later pieces of a split sequence */
  uint32_t source;   /* place in the configuration's list, from 0 */
  uint32_t piece;    /* 0 unless the sequence was split */
  uint32_t tokens;   /* real tokens; 0 for a zero-length sequence */
  uint32_t reserved;
} stowage_segment;

/* One pack of segments. The batch dimension is 1: `length` tokens in one row, segments one after the other, each padded
 * at its end. Boundaries come from lengths, never from token values.
 *
 * A trainer gets its part of the row, `local_length` entries; what its pipeline stage does not need is NULL:
 *   pipeline stage   first    last    both (only one)   between
 *   tokens           given    NULL    given             NULL
 *   position_ids     given    NULL    given             NULL
 *   labels           NULL     given   given             NULL
 *   loss_mask        NULL     given   given             NULL
 * With context parallelism of size C every segment's padded extent is a multiple of 2 * C, and rank r gets, of every
 * segment in order, the chunks r and 2 * C - 1 - r of its 2 * C equal ones; a micro-batch without segments is cut in
 * the same way as a whole. Boundaries, counts and origin are those of the whole row on every rank. */
typedef struct stowage_micro_batch {
  const int64_t* tokens;            /* [1, local_length]; padding holds the configured pad token */
  const int64_t* labels;            /* [1, local_length]; the next token of the segment, also where another rank holds
                                       that token; pad token at the segment's last and in padding */
  const float* loss_mask;           /* [1, local_length]; 1 where a label exists, else 0 */
  const int64_t* position_ids;      /* [1, local_length]; from 0 in each segment, going on through its padding */
  const int32_t* cu_seqlens;        /* [segments + 1]; running sum of real lengths, from 0 */
  const int32_t* cu_seqlens_padded; /* [segments + 1]; where segments begin in the row; first 0, last = length */
  const stowage_segment* origin;    /* [segments] */
  uint32_t length;                  /* of the whole row: >= 1; at most the cap */
  uint32_t local_length;            /* = length / context-parallel size */
  uint32_t segments;                /* 0 only in an empty micro-batch, which is all padding */
  uint32_t tokens_real;             /* = cu_seqlens[segments] */
  int32_t max_seqlen; /* longest padded segment: what attention kernels want; = length where segments = 0 */
} stowage_micro_batch;

/* All that one replica gets for one optimizer step; counts are of the whole replica, whatever part this trainer has. */
typedef struct stowage_step {
  uint64_t step;                            /* from 0 at the beginning of the run, the same on every replica */
  uint64_t replica_tokens;                  /* real tokens of this replica */
  uint64_t global_tokens;                   /* real tokens of the whole global batch */
  uint64_t replica_targets;                 /* positions with loss_mask 1, of this replica */
  uint64_t global_targets;                  /* and of the whole global batch: scale the loss by this */
  uint64_t global_sequences;                /* drawn sequences that the global batch holds */
  const stowage_micro_batch* micro_batches; /* [micro_batch_count] */
  uint32_t micro_batch_count;               /* >= 1 */
  uint32_t replica;
} stowage_step;

/* Default options. Not collective. Cannot fail for a non-NULL argument. */
STOWAGE_API stowage_status stowage_trainer_options_init(stowage_trainer_options* options);

/* Joins the job as a trainer. options may be NULL for defaults.
 * Collective over `world`: every rank of it calls, trainers this, loaders `stowage serve` (or its equivalent); bounded
 * by startup_seconds. `world` is duplicated and stays the caller's. On failure *trainer is NULL, and every rank of the
 * job learns of a failure of the loaders as the same status. */
STOWAGE_API stowage_status stowage_trainer_create(MPI_Comm world, const stowage_trainer_options* options,
                                                  stowage_trainer** trainer);

/* The same stream in one process without loader ranks, for a laptop or a test: reads the configuration and the data
 * itself. Needs no MPI_Init. options->replica chooses the replica (-1: replica 0). Not collective. */
STOWAGE_API stowage_status stowage_trainer_create_embedded(const char* config_path,
                                                           const stowage_trainer_options* options,
                                                           stowage_trainer** trainer);

/* Leaves: gives back every step still held, tells the loaders, frees the handle and sets *trainer to NULL. NULL and a
 * pointer to NULL are accepted. Collective over the trainers' communicator as MPI_Comm_free is; waits at most some
 * seconds for the loader's good-bye. */
STOWAGE_API stowage_status stowage_trainer_destroy(stowage_trainer** trainer);

/* The communicator that holds the trainers alone, for the trainer's own use; valid until destroy. MPI_COMM_NULL in
 * embedded use. Not collective. */
STOWAGE_API stowage_status stowage_trainer_comm(const stowage_trainer* trainer, MPI_Comm* comm);

/* Not collective. */
STOWAGE_API stowage_status stowage_trainer_info(const stowage_trainer* trainer, stowage_info* info);

/* Borrows the next step. STOWAGE_END after the last one, on every rank at the same step, and again when called again;
 * STOWAGE_PREEMPTED when the run was ended from outside and its state is saved: destroy the trainer and exit.
 * Up to info.steps_held steps may be held; one more is STOWAGE_STATE_ERROR. After any other error the handle can only
 * be destroyed. Not collective; waits at most acquire_seconds (STOWAGE_TIMEOUT; the call may be repeated). */
STOWAGE_API stowage_status stowage_step_acquire(stowage_trainer* trainer, const stowage_step** step);

/* Gives a step back, in the order of acquiring, and sets *step to NULL; its arrays are gone. This is what commits the
 * step: the loaders' state moves past it. Not collective. */
STOWAGE_API stowage_status stowage_step_release(stowage_trainer* trainer, const stowage_step** step);

/* Asks for a checkpoint of the data that belongs to the model before step `step`: that is, `step` steps are consumed,
 * and a run that goes on with resume_step = step gets that step first. Call it when the model checkpoint of that step
 * is made; the step may be any between the first one held and the last one acquired plus 1 (some steps earlier too, see
 * docs/checkpoint.md). Returns at once: the loaders write it in the background. Any trainer may ask, one is enough,
 * asking again is harmless. STOWAGE_UNSUPPORTED if the configuration has no checkpoint.directory. Not collective. */
STOWAGE_API stowage_status stowage_checkpoint_save(stowage_trainer* trainer, uint64_t step);

/* Waits until the checkpoint that this trainer asked for is durable: written, flushed to disk, verified and renamed. At
 * most `seconds` (STOWAGE_TIMEOUT; 0: only looks); STOWAGE_STATE_ERROR if this trainer did not ask for it or its step
 * is too long ago, STOWAGE_IO_ERROR if it could not be written, which ends nothing. Not collective. */
STOWAGE_API stowage_status stowage_checkpoint_wait(stowage_trainer* trainer, uint64_t step, double seconds);

/* Ends the run because this process is about to be ended from outside (a time limit, a higher priority): the loaders
 * make a last checkpoint, and every trainer's next call returns STOWAGE_PREEMPTED. Whoever started the job should start
 * it again. May be called from a signal handler, also while another call of this trainer is running; the trainer must
 * not be destroyed at the same time. Trainers whose steps come through shared memory are heard at once, whatever they
 * do; others when they call the library next. Calling it again is harmless. Not collective. */
STOWAGE_API stowage_status stowage_checkpoint_now(stowage_trainer* trainer);

/* A 128-bit digest of everything in the step that this trainer got, as 32 hexadecimal digits and a terminating zero.
 * Equal digests mean equal streams, whatever the number of loaders. Not collective. */
STOWAGE_API stowage_status stowage_step_digest(const stowage_step* step, char hex[33]);

/* The message of the last failed call of the calling thread; "" if none. Valid until this thread's next call. Not
 * collective. */
STOWAGE_API const char* stowage_last_message(void);

/* Name of a status in words, for example "config error". Not collective. */
STOWAGE_API const char* stowage_status_name(stowage_status status);

/* STOWAGE_VERSION of the library in use (the macro is of the header compiled against). Not collective. */
STOWAGE_API uint32_t stowage_version(void);

#ifdef __cplusplus
}
#endif

#endif
