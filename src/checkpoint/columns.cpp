// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/columns.hpp"

namespace stowage::checkpoint {
namespace {

constexpr std::size_t kFirstCount = 2;  // columns before it are those of DrawState

// Calls visit(column, value) for every count of one source; Count is SourceCount, const or not.
template <typename Count, typename Visit>
void each_count(Count& count, Visit visit) {
  std::size_t column = kFirstCount;
  for (auto* value :
       {&count.drawn, &count.delivered, &count.tokens, &count.truncated, &count.tokens_cut, &count.split}) {
    visit(column++, *value);
  }
  for (auto& dropped : count.dropped) visit(column++, dropped);
}

static_assert(kColumns.size() == kFirstCount + 6 + kReasons);

}  // namespace

Columns columns_of(const IteratorState& state) {
  Columns columns;
  columns[0] = state.draws.drawn;
  columns[1] = state.draws.stage_base;
  for (std::size_t c = kFirstCount; c < columns.size(); ++c) columns[c].reserve(state.counts.size());
  for (const SourceCount& count : state.counts) {
    each_count(count, [&](std::size_t column, std::uint64_t value) { columns[column].push_back(value); });
  }
  return columns;
}

void set_columns(IteratorState& state, const Columns& columns) {
  state.draws.drawn = columns[0];
  state.draws.stage_base = columns[1];
  state.counts.resize(columns[0].size());
  for (std::size_t s = 0; s < state.counts.size(); ++s) {
    each_count(state.counts[s], [&](std::size_t column, std::uint64_t& value) { value = columns[column][s]; });
  }
}

}  // namespace stowage::checkpoint
