// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/narrow.hpp"
#include "plan/baselines/baselines.hpp"
#include "plan/baselines/division.hpp"
#include "plan/differencing.hpp"
#include "plan/items.hpp"
#include "plan/lpt.hpp"

namespace stowage::plan::baselines {

namespace {

using Parts = std::vector<std::vector<std::uint32_t>>;  // of items

Indices sequences_of(const Items& items, const std::vector<std::uint32_t>& part) {
  Indices sequences;
  for (const std::uint32_t item : part) sequences.push_back(items.sequence[item]);
  std::sort(sequences.begin(), sequences.end());
  return sequences;
}

Parts by_lpt(const Items& items, const std::vector<std::uint32_t>& chosen, std::size_t parts) {
  Bins bins(parts);
  longest_processing_time(items, chosen, bins);
  Parts result;
  for (Bin& bin : bins) result.push_back(std::move(bin.items));
  return result;
}

Parts by_differencing(const Items& items, const std::vector<std::uint32_t>& chosen, std::size_t parts, Counts counts) {
  std::vector<Work> work;
  for (const std::uint32_t item : chosen) work.push_back(items.work[item]);
  Parts result = plan::karmarkar_karp(work, narrow<std::uint32_t>(parts), counts);
  for (auto& part : result) {
    std::sort(part.begin(), part.end());
    for (std::uint32_t& item : part) item = chosen[item];
  }
  return result;
}

// Both stages by one rule; stage two with the fewest parts that all stay under the cap.
template <typename Divide>
Plan two_stages(const Request& request, Divide divide) {
  const Items items = sorted_items(request);
  std::vector<std::uint32_t> all(items.size());
  std::iota(all.begin(), all.end(), 0U);
  Division division;
  for (const auto& replica : divide(items, all, request.replicas)) {
    std::uint64_t tokens = 0;
    for (const std::uint32_t item : replica) tokens += items.tokens[item];
    std::size_t count = request.cap == 0 ? 1 : std::max<std::size_t>(1, div_ceil<std::uint64_t>(tokens, request.cap));
    if (replica.empty()) count = 0;
    Packs packs;
    const auto all_fit = [&] {
      return std::all_of(packs.begin(), packs.end(), [&](const Indices& p) { return fits(request, p); });
    };
    do {
      packs.clear();
      for (const auto& part : divide(items, replica, count)) packs.push_back(sequences_of(items, part));
      ++count;
    } while (!all_fit());
    division.push_back(std::move(packs));
  }
  return to_plan(request, std::move(division));
}

}  // namespace

Plan lpt(const Request& request) {
  return two_stages(request, by_lpt);
}

Plan karmarkar_karp(const Request& request) {
  return two_stages(request, [](const Items& items, const std::vector<std::uint32_t>& chosen, std::size_t parts) {
    return by_differencing(items, chosen, parts, Counts::free);
  });
}

Plan karmarkar_karp_equal(const Request& request) {
  return two_stages(request, [](const Items& items, const std::vector<std::uint32_t>& chosen, std::size_t parts) {
    return by_differencing(items, chosen, parts, Counts::equal);
  });
}

}  // namespace stowage::plan::baselines
