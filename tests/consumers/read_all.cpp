// SPDX-License-Identifier: Apache-2.0
// As read_all.c, from C++.
#include <stowage.h>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>

namespace {

void require(stowage_status status) {
  if (status != STOWAGE_OK) throw std::runtime_error(stowage_last_message());
}

struct Destroy {
  void operator()(stowage_trainer* trainer) const { stowage_trainer_destroy(&trainer); }
};
using Trainer = std::unique_ptr<stowage_trainer, Destroy>;

Trainer open(const char* config) {
  stowage_trainer* trainer = nullptr;
  require(stowage_trainer_create_embedded(config, nullptr, &trainer));
  return Trainer(trainer);
}

std::int64_t sum_of_ids(const stowage_micro_batch& batch) {
  std::int64_t sum = 0;
  for (std::uint32_t s = 0; s < batch.segments; ++s) {
    const std::int64_t* first = batch.tokens + batch.cu_seqlens_padded[s];
    sum = std::accumulate(first, first + (batch.cu_seqlens[s + 1] - batch.cu_seqlens[s]), sum);
  }
  return sum;
}

void read_all(const char* config) {
  const Trainer trainer = open(config);
  std::uint64_t steps = 0;
  std::uint64_t sequences = 0;
  std::uint64_t tokens = 0;
  std::int64_t ids = 0;
  const stowage_step* step = nullptr;
  stowage_status status = STOWAGE_OK;
  while ((status = stowage_step_acquire(trainer.get(), &step)) == STOWAGE_OK) {
    ++steps;
    for (const stowage_micro_batch& batch : std::span(step->micro_batches, step->micro_batch_count)) {
      sequences += batch.segments;
      tokens += batch.tokens_real;
      ids += sum_of_ids(batch);
    }
    require(stowage_step_release(trainer.get(), &step));
  }
  if (status != STOWAGE_END) require(status);
  std::cout << steps << ' ' << sequences << ' ' << tokens << ' ' << ids << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2 || stowage_version() != STOWAGE_VERSION) return EXIT_FAILURE;
    read_all(argv[1]);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
