// SPDX-License-Identifier: Apache-2.0
#include "loader/describe.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "base/fault_point.hpp"

namespace stowage::loader {

static_assert(std::is_trivially_copyable_v<Location>);

std::vector<Location> describe(std::span<const mixture::Draw> draws, const Catalogue& catalogue, exchange::Team& team) {
  std::vector<Location> mine;
  for (const mixture::Draw& draw : draws) {
    if (catalogue.owns(draw.source)) mine.push_back(catalogue.locate(draw.source, draw.sequence));
  }
  fault_point("all_to_all_1");
  const exchange::Gathered gathered = team.all_gather(std::as_bytes(std::span(mine)));

  std::vector<std::uint64_t> at(gathered.begin.begin(), gathered.begin.end() - 1);
  std::vector<Location> all(draws.size());
  for (std::size_t d = 0; d < draws.size(); ++d) {
    const auto owner = static_cast<std::size_t>(catalogue.owner(draws[d].source));
    STOWAGE_ASSERT(kAssertLight, at[owner] + sizeof(Location) <= gathered.begin[owner + 1],
                   "rank {} described fewer of {} draws than it owns", owner, draws.size());
    std::memcpy(&all[d], gathered.bytes.data() + at[owner], sizeof(Location));
    at[owner] += sizeof(Location);
  }
  return all;
}

}  // namespace stowage::loader
