// SPDX-License-Identifier: Apache-2.0
// A process that writes checkpoints, for tests that injure it:  checkpoint_writer FOLDER COUNT SEED
// Goes on from the newest checkpoint of FOLDER. Prints "ready", then the step of each checkpoint once it is published.
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/error.hpp"
#include "checkpoint/load.hpp"
#include "checkpoint/samples.hpp"
#include "checkpoint/store.hpp"

int main(int argc, char** argv) try {
  using namespace stowage;
  if (argc != 4) return STOWAGE_INVALID_ARGUMENT;
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);  // 0: for ever
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  checkpoint::Store store(argv[1], {3, 1});
  const auto loaded = checkpoint::load(argv[1]);
  checkpoint::Checkpoint run = loaded ? loaded->checkpoint : test::sample_checkpoint(1, 300);
  std::printf("ready\n");
  std::fflush(stdout);
  for (std::uint64_t i = 0; i < (count == 0 ? std::numeric_limits<std::uint64_t>::max() : count); ++i) {
    test::advance(run, seed + i);
    std::printf("%llu\n", static_cast<unsigned long long>(store.write(run).step));
    std::fflush(stdout);
  }
  return STOWAGE_OK;
} catch (const stowage::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status();
}
