// SPDX-License-Identifier: Apache-2.0
// A state taken over into a run with other sources or weights.
#pragma once

#include <span>
#include <string>

#include "checkpoint/state.hpp"

namespace stowage::checkpoint {

// `state`, whose sources were named `then` in their order, for sources named `now` in theirs; a new stage of the
// mixture begins there. Every source goes on where it stood, whatever its place in the list; new ones begin with their
// first epoch. Throws STOWAGE_CONFIG_ERROR if a source of `then` is missing: its draws would have no place any more.
IteratorState carry_over(const IteratorState& state, std::span<const std::string> then,
                         std::span<const std::string> now);

}  // namespace stowage::checkpoint
