// SPDX-License-Identifier: Apache-2.0
// A checkpoint in memory: the state, what it belongs to, and what was done to the run from outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "checkpoint/state.hpp"

namespace stowage::checkpoint {

// What the stream depends on besides the state; compared when a run goes on.
struct Fingerprint {
  struct Setting {
    std::string key;    // as in the YAML file: "seed", "micro_batch.tokens", "sources.wiki.order"
    std::string value;  // canonical text
    friend bool operator==(const Setting&, const Setting&) = default;
  };
  struct File {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t modified_ns = 0;  // since 1970
    friend bool operator==(const File&, const File&) = default;
  };
  struct Source {
    std::string name;
    std::uint64_t sequences = 0;
    std::uint64_t tokens = 0;
    Digest index;  // of what the indexes say: lengths and places of all sequences, in order
    std::vector<File> files;
    friend bool operator==(const Source&, const Source&) = default;
  };
  std::vector<Setting> settings;
  std::vector<Source> sources;  // in configuration order

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// Something that changed the stream from outside at a step: a weight set at run time, an adopted cost table, a
// difference between old and new configuration that was accepted when a run went on.
struct Input {
  std::uint64_t step = 0;  // the first that it influences
  std::string kind;
  std::string text;
  friend bool operator==(const Input&, const Input&) = default;
};

struct Checkpoint {
  Fingerprint fingerprint;
  IteratorState state;
  std::vector<Input> inputs;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

}  // namespace stowage::checkpoint
