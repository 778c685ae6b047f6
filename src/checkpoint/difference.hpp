// SPDX-License-Identifier: Apache-2.0
// What changed from one checkpoint to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/columns.hpp"

namespace stowage::checkpoint {

// Small things whole, arrays over sources sparse.
struct Difference {
  std::uint64_t step = 0;
  std::uint64_t position = 0;  // draws made
  Digest plans;
  std::vector<Deferred> deferred;      // all that wait
  std::vector<Input> inputs;           // those added, at the end
  std::vector<std::uint64_t> sources;  // in which a column changed, ascending
  Columns added;                       // [column][index in `sources`], modulo 2^64; empty where a column did not change
};

// Whether a difference can lead from one to the other: the same fingerprint is not looked at, the same sources and
// inputs that only grew are.
bool can_differ(const IteratorState& before, const std::vector<Input>& inputs_before, const IteratorState& after,
                const std::vector<Input>& inputs_after);

// Needs can_differ().
Difference difference_between(const IteratorState& before, const std::vector<Input>& inputs_before,
                              const IteratorState& after, const std::vector<Input>& inputs_after);

// Turns the checkpoint before into that after. Throws STOWAGE_DATA_ERROR, `what` first, if it speaks of sources that
// the checkpoint does not have.
void apply(const Difference& difference, Checkpoint& checkpoint, const std::string& what);

}  // namespace stowage::checkpoint
