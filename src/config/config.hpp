// SPDX-License-Identifier: Apache-2.0
// The data plane: what one YAML file says about sources, batches and delivery. Plain values; docs/configuration.md is
// the reference. Reading it is config/parse.hpp.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stowage::config {

// Where a value stands in the YAML file; both from 1. 0 = not in the file (a default).
struct Mark {
  int line = 0;
  int column = 0;

  auto operator<=>(const Mark&) const = default;
};

enum class Format { megatron, hdf5 };
enum class OverLong { error, drop, truncate, split };  // what happens to a sequence longer than micro_batch.tokens
enum class ZeroLength { keep, drop };                  // keep: delivered as a segment of length 0
enum class LastBatch { drop, deliver };                // the incomplete global batch at the end of the last epoch
enum class WeightUnit { sequences, tokens };
enum class Order { shuffled, sequential };  // of a source within an epoch
enum class Io { cooperative, collective };
enum class Exchange { automatic, plain, by_node };  // of payload among loader ranks; automatic: plain
enum class Delivery { automatic, messages };        // automatic: through shared memory inside a node
enum class SampleUnit { sequence, document };       // what one entry of a Megatron index is to training

struct Source {
  std::string name;
  Format format = Format::megatron;
  // As written, relative ones resolved against the folder of the YAML file; globs kept, special characters of the
  // folder before a glob escaped with a backslash.
  std::vector<std::string> paths;
  double weight = 0.0;  // share in the mixture before normalisation; 0 disables; see Config::natural_weights
  OverLong over_long = OverLong::error;
  ZeroLength zero_length = ZeroLength::keep;
  Order order = Order::shuffled;
  SampleUnit sample = SampleUnit::sequence;
  std::optional<std::uint64_t> vocab_size;  // token ids must be below it; checked on every token read
  Mark mark;                                // of the source's entry
  Mark path_mark;
  Mark weight_mark;
};

struct Batch {
  std::uint64_t sequences = 0;  // of a global batch; exactly one of sequences and tokens is not 0
  std::uint64_t tokens = 0;     // of a global batch: as many sequences in drawn order as fit, at least one
  LastBatch last = LastBatch::deliver;
  Mark mark;
};

struct MicroBatch {
  std::uint32_t tokens = 0;            // cap: sum of padded segments never exceeds it
  std::uint32_t context_parallel = 1;  // the top-level key: ranks that share each row, see deliver/slices.hpp
  std::uint32_t pad_segments_to =
      1;                       // each segment's padded length is a multiple of this; of 2 * context_parallel if > 1
  bool pad_to_cap = false;     // every micro-batch is exactly `tokens` long
  bool equal_counts = true;    // every replica gets the same number of micro-batches in a step
  std::int64_t pad_token = 0;  // fills padding, and the label of each segment's last token
};

struct Cost {
  double linear = 24576.0;  // cost of a segment of l tokens = linear * l + quadratic * l * l
  double quadratic = 1.0;
};

struct Defer {
  std::uint32_t steps = 0;  // that an outlier may wait for others of its kind; 0: none waits
};

struct Checkpoint {
  std::string directory;          // as written, a relative one resolved; empty: no checkpoints
  std::uint64_t every_steps = 0;  // 0: only when asked, or when the run is ended from outside
  std::uint64_t base_every = 16;  // a base file, then base_every - 1 differences
  std::uint64_t keep = 2;         // generations
};

struct Cache {
  std::string directory;  // on this node; as written, a relative one resolved; empty: no copies of data files are made
  std::uint64_t bytes = 0;  // that copies may take in it, those of all loader ranks of the node together
};

struct Prefetch {
  std::uint32_t steps = 2;  // steps a loader prepares ahead of its slowest trainer
};

struct Limits {
  std::uint32_t open_files = 64;                        // data files a loader rank holds open at once
  std::uint64_t shared_bytes = std::uint64_t{1} << 30;  // of shared memory a replica; taken only as it is needed
  double acquire_seconds = 600.0;                       // a trainer's wait for one step
  double peer_seconds = 600.0;                          // a loader rank's silence towards the others
  double trainer_seconds = 7200.0;  // a trainer's use of one step, with whatever it does between steps
};

struct Config {
  std::string file;  // as given; for messages
  std::uint64_t seed = 0;
  std::uint32_t data_parallel = 1;
  Batch batch;
  MicroBatch micro_batch;
  std::optional<std::uint64_t> steps;  // exactly one of steps and epochs
  std::optional<std::uint64_t> epochs;
  WeightUnit weight_unit = WeightUnit::sequences;
  bool natural_weights = false;  // no source has a weight: each source counts by its number of sequences
  Io io = Io::cooperative;
  Exchange exchange = Exchange::automatic;
  Delivery delivery = Delivery::automatic;
  Cost cost;
  Defer defer;
  Checkpoint checkpoint;
  Cache cache;
  Prefetch prefetch;
  std::uint32_t shadows = 0;  // loader ranks that only follow, to take the place of one that is lost
  Limits limits;
  std::vector<Source> sources;
};

}  // namespace stowage::config
