// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/carry_over.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::checkpoint {

IteratorState carry_over(const IteratorState& state, std::span<const std::string> then,
                         std::span<const std::string> now) {
  IteratorState carried = state;
  carried.draws.drawn.assign(now.size(), 0);
  carried.counts.assign(now.size(), {});
  std::vector<std::uint32_t> places(then.size());
  for (std::size_t s = 0; s < then.size(); ++s) {
    const auto found = std::ranges::find(now, then[s]);
    if (found == now.end()) {
      fail(STOWAGE_CONFIG_ERROR,
           "source '{}' is in the checkpoint and not in the configuration; keep it there with weight 0, which disables "
           "it",
           then[s]);
    }
    places[s] = narrow<std::uint32_t>(found - now.begin(), "number of sources");
    carried.draws.drawn[places[s]] = state.draws.drawn[s];
    carried.counts[places[s]] = state.counts[s];
  }
  carried.draws.stage_base = carried.draws.drawn;
  for (Deferred& one : carried.deferred) one.draw.source = places[one.draw.source];
  return carried;
}

}  // namespace stowage::checkpoint
