// SPDX-License-Identifier: Apache-2.0
// The state of the stream that is committed: it moves forward only with steps that trainers have given back.
#pragma once

#include <cstdint>
#include <deque>

#include "mixture/draw.hpp"

namespace stowage::checkpoint {

// From which the stream goes on: global, the same on every rank.
struct IteratorState {
  std::uint64_t step = 0;    // the next step to deliver
  mixture::DrawState draws;  // after the last draw of the step before it

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive & step & draws;
  }
};

class Ledger {
 public:
  // `committed`: a draw stream of its own, at the state where the first step begins; `step` is that step.
  Ledger(mixture::DrawStream committed, std::uint64_t step);

  // The next step was made of the next `draws` draws.
  void produced(std::uint64_t draws);

  // Steps below `step` are delivered: the state moves up to it, or to the last step produced if that comes first.
  void commit(std::uint64_t step);

  IteratorState state() const;

 private:
  mixture::DrawStream committed_;
  std::uint64_t step_;
  std::deque<std::uint64_t> draws_;  // of steps step_, step_ + 1, ...
};

}  // namespace stowage::checkpoint
