// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/state.hpp"

namespace stowage::checkpoint {

SourceCount& SourceCount::operator+=(const SourceCount& other) noexcept {
  drawn += other.drawn;
  delivered += other.delivered;
  tokens += other.tokens;
  truncated += other.truncated;
  tokens_cut += other.tokens_cut;
  split += other.split;
  for (std::size_t r = 0; r < kReasons; ++r) dropped[r] += other.dropped[r];
  return *this;
}

Digest chain(const Digest& plans, const Digest& plan) {
  return Hasher().add(plans.high).add(plans.low).add(plan.high).add(plan.low).digest();
}

}  // namespace stowage::checkpoint
