// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/ledger.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace stowage::checkpoint {
namespace {

// Moves `state`, and `draws` that stand at it, past one step.
void apply(const StepDelta& delta, mixture::DrawStream& draws, IteratorState& state) {
  ++state.step;
  for (std::uint64_t n = delta.draws; n > 0; --n) draws.next();
  state.deferred = delta.deferred;
  for (const StepDelta::Count& one : delta.counts) state.counts[one.source] += one.count;
  state.plans = chain(state.plans, delta.plan);
}

}  // namespace

Ledger::Ledger(mixture::DrawStream draws, IteratorState start)
    : draws_(std::move(draws)), oldest_(std::move(start)), committed_(oldest_.step) {}

void Ledger::produced(StepDelta delta) {
  deltas_.push_back(std::move(delta));
}

void Ledger::commit(std::uint64_t step) {
  committed_ = std::max(committed_, std::min(step, produced_steps()));
  advance();
}

void Ledger::rewind() {
  deltas_.resize(committed_ - oldest_.step);
}

void Ledger::advance() {
  while (committed_ - oldest_.step > kRemembered) {
    apply(deltas_.front(), draws_, oldest_);
    deltas_.pop_front();
  }
}

IteratorState Ledger::state_at(std::uint64_t step) const {
  if (step < first_known() || step > produced_steps()) {
    fail(STOWAGE_STATE_ERROR, "the state before step {} is not known: only those before steps {} to {} are", step,
         first_known(), produced_steps());
  }
  mixture::DrawStream draws = draws_;
  IteratorState state = oldest_;
  for (std::size_t d = 0; d < step - oldest_.step; ++d) apply(deltas_[d], draws, state);
  state.draws = draws.state();
  return state;
}

}  // namespace stowage::checkpoint
