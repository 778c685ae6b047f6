// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/ledger.hpp"

namespace stowage::checkpoint {

Ledger::Ledger(mixture::DrawStream committed, std::uint64_t step) : committed_(std::move(committed)), step_(step) {}

void Ledger::produced(std::uint64_t draws) { draws_.push_back(draws); }

void Ledger::commit(std::uint64_t step) {
  for (; step_ < step && !draws_.empty(); ++step_) {
    for (std::uint64_t n = draws_.front(); n > 0; --n) committed_.next();
    draws_.pop_front();
  }
}

IteratorState Ledger::state() const { return {step_, committed_.state()}; }

}  // namespace stowage::checkpoint
