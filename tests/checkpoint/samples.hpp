// SPDX-License-Identifier: Apache-2.0
// Made-up checkpoints of a run, a pure function of a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "checkpoint/checkpoint.hpp"

namespace stowage::test {

// A run's first checkpoint, with that many sources, names and texts with characters that need care.
inline checkpoint::Checkpoint sample_checkpoint(std::uint64_t seed, std::size_t sources) {
  std::mt19937_64 random(seed);
  checkpoint::Checkpoint made;
  made.fingerprint.settings = {{"seed", std::to_string(seed)}, {"note", "two\nlines\tand a \\ and ω"}, {"empty", ""}};
  for (std::size_t s = 0; s < sources; ++s) {
    checkpoint::Fingerprint::Source source;
    source.name = "source" + std::to_string(s);
    source.sequences = random() % 1'000'000;
    source.tokens = random() % 1'000'000'000'000;
    source.index = {random(), random()};
    for (std::uint64_t f = random() % 3; f > 0; --f) {
      source.files.push_back({"/data/" + source.name + "." + std::to_string(f), random() % 1'000'000,
                              static_cast<std::int64_t>(random())});
    }
    made.fingerprint.sources.push_back(source);
  }
  made.state.draws.drawn.resize(sources);
  made.state.draws.stage_base.resize(sources);
  made.state.counts.resize(sources);
  return made;
}

// The run some steps later: some sources were drawn, some sequences wait, sometimes there was an input.
inline void advance(checkpoint::Checkpoint& run, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  checkpoint::IteratorState& state = run.state;
  state.step += 1 + random() % 5;
  state.plans = {random(), random()};
  const std::size_t sources = state.counts.size();
  for (std::uint64_t draws = sources == 0 ? 0 : random() % 40; draws > 0; --draws) {
    const std::size_t source = random() % sources;
    ++state.draws.position;
    ++state.draws.drawn[source];
    ++state.counts[source].drawn;
    ++state.counts[source].delivered;
    state.counts[source].tokens += random() % 5000;
    if (random() % 8 == 0) ++state.counts[source].dropped[random() % checkpoint::kReasons];
  }
  state.deferred.clear();
  for (std::uint64_t waits = sources == 0 ? 0 : random() % 4; waits > 0; --waits) {
    const auto source = static_cast<std::uint32_t>(random() % sources);
    state.deferred.push_back(
        {{state.draws.position + waits, random(), random() % 9, source}, static_cast<std::uint32_t>(random() % 7)});
  }
  if (random() % 4 == 0) run.inputs.push_back({state.step, "weight", "sources.a: " + std::to_string(random() % 100)});
}

}  // namespace stowage::test
