/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads every step of a configuration in embedded use and prints "steps sequences tokens sum-of-token-ids".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stowage.h>

struct totals {
  uint64_t steps;
  uint64_t sequences;
  uint64_t tokens;
  int64_t ids;
};

static void add_micro_batch(struct totals* totals, const stowage_micro_batch* batch) {
  totals->sequences += batch->segments;
  totals->tokens += batch->tokens_real;
  for (uint32_t s = 0; s < batch->segments; ++s) {
    const int32_t first = batch->cu_seqlens_padded[s];
    const int32_t length = batch->cu_seqlens[s + 1] - batch->cu_seqlens[s];
    for (int32_t i = first; i < first + length; ++i) totals->ids += batch->tokens[i];
  }
}

static void require(stowage_status status, stowage_status expected) {
  if (status == expected) return;
  fprintf(stderr, "%s: %s\n", stowage_status_name(status), stowage_last_message());
  exit(EXIT_FAILURE);
}

int main(int argc, char** argv) {
  struct totals totals = {0, 0, 0, 0};
  stowage_trainer* trainer = NULL;
  const stowage_step* step = NULL;
  stowage_status status = STOWAGE_OK;

  if (argc != 2) return EXIT_FAILURE;
  if (stowage_version() != STOWAGE_VERSION) return EXIT_FAILURE;
  require(stowage_trainer_create_embedded(argv[1], NULL, &trainer), STOWAGE_OK);
  while ((status = stowage_step_acquire(trainer, &step)) == STOWAGE_OK) {
    ++totals.steps;
    for (uint32_t m = 0; m < step->micro_batch_count; ++m) add_micro_batch(&totals, &step->micro_batches[m]);
    require(stowage_step_release(trainer, &step), STOWAGE_OK);
  }
  require(status, STOWAGE_END);
  require(stowage_trainer_destroy(&trainer), STOWAGE_OK);

  printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n", totals.steps, totals.sequences, totals.tokens,
         totals.ids);
  return EXIT_SUCCESS;
}
