// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/difference.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace stowage::checkpoint {

bool can_differ(const IteratorState& before, const std::vector<Input>& inputs_before, const IteratorState& after,
                const std::vector<Input>& inputs_after) {
  return before.draws.drawn.size() == after.draws.drawn.size() && inputs_before.size() <= inputs_after.size() &&
         std::equal(inputs_before.begin(), inputs_before.end(), inputs_after.begin());
}

Difference difference_between(const IteratorState& before, const std::vector<Input>& inputs_before,
                              const IteratorState& after, const std::vector<Input>& inputs_after) {
  Difference difference;
  difference.step = after.step;
  difference.position = after.draws.position;
  difference.plans = after.plans;
  difference.deferred = after.deferred;
  difference.inputs.assign(inputs_after.begin() + static_cast<std::ptrdiff_t>(inputs_before.size()),
                           inputs_after.end());

  const Columns old_columns = columns_of(before);
  const Columns new_columns = columns_of(after);
  std::vector<bool> touched(after.draws.drawn.size());
  std::array<bool, kColumns.size()> changed{};
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    for (std::size_t s = 0; s < touched.size(); ++s) {
      if (old_columns[c][s] == new_columns[c][s]) continue;
      touched[s] = true;
      changed[c] = true;
    }
  }
  for (std::size_t s = 0; s < touched.size(); ++s) {
    if (touched[s]) difference.sources.push_back(s);
  }
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    if (!changed[c]) continue;
    for (const std::uint64_t s : difference.sources) {
      difference.added[c].push_back(new_columns[c][s] - old_columns[c][s]);
    }
  }
  return difference;
}

void apply(const Difference& difference, Checkpoint& checkpoint, const std::string& what) {
  Columns columns = columns_of(checkpoint.state);
  const std::size_t sources = checkpoint.state.draws.drawn.size();
  for (std::size_t i = 0; i < difference.sources.size(); ++i) {
    const std::uint64_t source = difference.sources[i];
    if (source >= sources) {
      fail(STOWAGE_DATA_ERROR, "{}: a change of source {}: expected one of the {} sources of the checkpoint before",
           what, source, sources);
    }
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      if (!difference.added[c].empty()) columns[c][source] += difference.added[c][i];
    }
  }
  set_columns(checkpoint.state, columns);
  checkpoint.state.step = difference.step;
  checkpoint.state.draws.position = difference.position;
  checkpoint.state.plans = difference.plans;
  checkpoint.state.deferred = difference.deferred;
  checkpoint.inputs.insert(checkpoint.inputs.end(), difference.inputs.begin(), difference.inputs.end());
}

}  // namespace stowage::checkpoint
