// SPDX-License-Identifier: Apache-2.0
#include "plan/assemble.hpp"

#include <algorithm>

#include "base/narrow.hpp"
#include "plan/order.hpp"
#include "plan/parallel.hpp"

namespace stowage::plan {

Plan to_plan(const Request& request, const Items& items, std::span<const Packing> packings) {
  Plan plan;
  plan.replica_begin.push_back(0);
  std::vector<std::size_t> first_sequence;
  std::size_t sequences = 0;
  for (const Packing& packing : packings) {
    plan.replica_begin.push_back(narrow<std::uint32_t>(plan.replica_begin.back() + packing.count()));
    first_sequence.push_back(sequences);
    sequences += packing.items.size();
  }
  plan.order.resize(sequences);
  plan.micro_batch_begin.resize(std::size_t{plan.replica_begin.back()} + 1, 0);
  plan.replica_cost.resize(packings.size());
  for_each_index(packings.size(), items.size() > kParallelItems, [&](std::size_t r) {
    const Packing& packing = packings[r];
    std::size_t end = first_sequence[r];
    std::size_t micro_batch = plan.replica_begin[r];
    Work load = 0;
    for (const std::uint32_t m : micro_batch_order(items, packing, request.micro_batch_order)) {
      const auto begin = plan.order.begin() + static_cast<std::ptrdiff_t>(end);
      const auto held = packing.micro_batch(m);
      std::transform(held.begin(), held.end(), begin, [&](std::uint32_t item) { return items.sequence[item]; });
      end += held.size();
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(held.size()));
      plan.micro_batch_begin[++micro_batch] = static_cast<std::uint32_t>(end);
      load += packing.load[m];
    }
    plan.replica_cost[r] = static_cast<double>(load) * items.unit;
  });
  return plan;
}

}  // namespace stowage::plan
