// SPDX-License-Identifier: Apache-2.0
// The steps that a trainer holds, and those that wait to be acquired behind them.
#pragma once

#include <cstdint>
#include <deque>

#include "base/error.hpp"
#include "deliver/step_block.hpp"

namespace stowage::deliver {

class StepQueue {
 public:
  // The steps of a stream are numbered from 0. part: what is shown of each step; every block that arrives must hold it.
  explicit StepQueue(const Part& part = {}) : part_(part) {}

  void arrive(AlignedBuffer block) { steps_.emplace_back(std::move(block), part_); }
  void arrive(ByteView block) { steps_.emplace_back(block, part_); }  // borrowed until released

  // Steps are numbered from 0, or from here on if nothing has arrived yet.
  void start_at(std::uint64_t step) { acquired_ = released_ = step; }

  std::uint64_t arrived() const noexcept { return released_ + steps_.size(); }  // steps so far
  bool ready() const noexcept { return steps_.size() > held(); }
  std::uint64_t held() const noexcept { return acquired_ - released_; }
  std::uint64_t acquired() const noexcept { return acquired_; }  // steps handed out so far
  std::uint64_t released() const noexcept { return released_; }

  // Throws STOWAGE_STATE_ERROR if `most` steps are held already.
  void require_room(std::uint32_t most) const {
    if (held() < most) return;
    fail(STOWAGE_STATE_ERROR, "at most {} steps may be held at once; release one before acquiring the next", most);
  }

  // The next step; one must be ready.
  const StepView* acquire() { return &steps_[acquired_++ - released_]; }

  // Throws STOWAGE_STATE_ERROR unless `step` is the oldest one held.
  void release(const stowage_step& step) {
    if (held() == 0) fail(STOWAGE_STATE_ERROR, "no step is held; acquire one first");
    if (&steps_.front().step() != &step) {
      fail(STOWAGE_STATE_ERROR, "steps are released in the order of acquiring: expected step {} first",
           steps_.front().step().step);
    }
    steps_.pop_front();
    ++released_;
  }

 private:
  Part part_;
  std::deque<StepView> steps_;  // held ones first
  std::uint64_t acquired_ = 0;
  std::uint64_t released_ = 0;
};

}  // namespace stowage::deliver
