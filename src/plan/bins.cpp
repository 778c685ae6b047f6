// SPDX-License-Identifier: Apache-2.0
#include "plan/bins.hpp"

#include <algorithm>

namespace stowage::plan {

double makespan(const Bins& bins) noexcept {
  double longest = 0.0;
  for (const Bin& bin : bins) longest = std::max(longest, bin.time());
  return longest;
}

}  // namespace stowage::plan
