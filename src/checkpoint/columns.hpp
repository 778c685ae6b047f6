// SPDX-License-Identifier: Apache-2.0
// What the state says of each source, as arrays over the sources with the names that they have in checkpoint files.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "checkpoint/state.hpp"

namespace stowage::checkpoint {

struct Column {
  const char* name;
  const char* unit;
};

inline constexpr std::array<Column, 11> kColumns{{{"drawn", "sequences"},
                                                  {"stage_base", "sequences"},
                                                  {"count_drawn", "sequences"},
                                                  {"count_delivered", "sequences"},
                                                  {"count_tokens", "tokens"},
                                                  {"count_truncated", "sequences"},
                                                  {"count_tokens_cut", "tokens"},
                                                  {"count_split", "sequences"},
                                                  {"count_over_long", "sequences"},
                                                  {"count_zero_length", "sequences"},
                                                  {"count_last_batch", "sequences"}}};

using Columns = std::array<std::vector<std::uint64_t>, kColumns.size()>;  // [column][source]

Columns columns_of(const IteratorState& state);

// The inverse. All columns must be equally long.
void set_columns(IteratorState& state, const Columns& columns);

}  // namespace stowage::checkpoint
