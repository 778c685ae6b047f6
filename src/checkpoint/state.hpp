// SPDX-License-Identifier: Apache-2.0
// From which the stream goes on: global, small, complete, and the same on every rank. It says nothing of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "mixture/draw.hpp"

namespace stowage::checkpoint {

// A drawn sequence that is not delivered whole.
enum class Reason : std::uint8_t { over_long, zero_length, last_batch };
inline constexpr std::size_t kReasons = 3;

// Counts of one source in one step (or, added up, in a run).
struct SourceCount {
  std::uint64_t drawn = 0;      // sequences
  std::uint64_t delivered = 0;  // sequences
  std::uint64_t tokens = 0;     // delivered
  std::uint64_t truncated = 0;  // sequences delivered short
  std::uint64_t tokens_cut = 0;
  std::uint64_t split = 0;                        // sequences delivered in pieces
  std::array<std::uint64_t, kReasons> dropped{};  // sequences, by Reason

  SourceCount& operator+=(const SourceCount& other) noexcept;
  friend bool operator==(const SourceCount&, const SourceCount&) = default;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& drawn& delivered& tokens& truncated& tokens_cut& split;
    for (std::uint64_t& count : dropped) archive& count;
  }
};

// A sequence that was drawn and waits for a later step.
struct Deferred {
  mixture::Draw draw;
  std::uint32_t waited = 0;  // steps so far

  friend bool operator==(const Deferred&, const Deferred&) = default;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& draw.position& draw.sequence& draw.epoch& draw.source& waited;
  }
};

// The state before `step`: of all that earlier steps drew, what is not in `deferred` was delivered or dropped.
struct IteratorState {
  std::uint64_t step = 0;           // the next step to deliver
  mixture::DrawState draws;         // after the last draw of the step before it
  std::vector<Deferred> deferred;   // in the order in which they came
  std::vector<SourceCount> counts;  // by source, of all steps before it
  Digest plans;                     // of the plans of all steps before it, chained (chain()); zero at step 0

  friend bool operator==(const IteratorState&, const IteratorState&) = default;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& step& draws& deferred& counts& plans.high& plans.low;
  }
};

// What one step did to the state.
struct StepDelta {
  struct Count {
    std::uint32_t source = 0;
    SourceCount count;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
      archive& source& count;
    }
  };
  std::uint64_t draws = 0;         // positions of the drawn order that it used up
  std::vector<Deferred> deferred;  // all that wait after it
  std::vector<Count> counts;       // of the sources that it touched, ascending
  Digest plan;                     // of this step alone

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& draws& deferred& counts& plan.high& plan.low;
  }
};

// The digest of all plans so far and one more.
Digest chain(const Digest& plans, const Digest& plan);

}  // namespace stowage::checkpoint
