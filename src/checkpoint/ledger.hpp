// SPDX-License-Identifier: Apache-2.0
// The state of the stream that is committed: it moves forward only with steps that trainers have given back.
#pragma once

#include <cstdint>
#include <deque>

#include "checkpoint/state.hpp"
#include "mixture/draw.hpp"

namespace stowage::checkpoint {

// Remembers the last committed steps too, because a trainer may ask for the state of a step that others are past
// already. Memory: a StepDelta a step that is remembered or produced and not committed. Not thread-safe.
class Ledger {
 public:
  static constexpr std::uint64_t kRemembered = 64;  // steps behind the committed one

  // `draws`: a draw stream of its own, standing at start.draws.
  Ledger(mixture::DrawStream draws, IteratorState start);

  // What the next step (produced_steps()) did.
  void produced(StepDelta delta);

  // Steps below `step` are delivered: the committed state moves up to it, or to the last step produced if that comes
  // first; never back.
  void commit(std::uint64_t step);

  // Forgets what steps from the committed one on did: they are going to be made again.
  void rewind();

  std::uint64_t committed() const noexcept { return committed_; }  // steps
  std::uint64_t produced_steps() const noexcept { return oldest_.step + deltas_.size(); }
  std::uint64_t first_known() const noexcept { return oldest_.step; }

  // The state before `step`, which must be in [first_known(), produced_steps()]; else throws STOWAGE_STATE_ERROR.
  // O(draws between).
  IteratorState state_at(std::uint64_t step) const;
  IteratorState state() const { return state_at(committed_); }

 private:
  void advance();

  mixture::DrawStream draws_;  // at oldest_
  IteratorState oldest_;
  std::uint64_t committed_;
  std::deque<StepDelta> deltas_;  // of steps oldest_.step, oldest_.step + 1, ...
};

}  // namespace stowage::checkpoint
