// SPDX-License-Identifier: Apache-2.0
// What a sequence costs. A cost model is data: coefficients by phase, from a preset (presets.hpp), from a measured
// table (cost_table.hpp) or from the configuration.
#pragma once

#include <cstdint>

namespace stowage::plan {

// The language phase costs linear * l + quadratic * l * l for a segment of l tokens; by segment, not by pack, because
// attention does not cross segment boundaries. The vision phase costs `tile` a tile. All in one unit (operations,
// seconds), none negative; the default is a transformer of hidden size 4096 in units of attention's share.
struct CostModel {
  double linear = 24576.0;
  double quadratic = 1.0;
  double tile = 0.0;
  double per_micro_batch = 0.0;  // fixed: launching kernels, exchanging activations
  double per_step = 0.0;         // fixed: gradient reduction, optimizer

  double operator()(std::uint32_t tokens) const noexcept {
    const double l = tokens;
    return linear * l + quadratic * l * l;
  }
  double operator()(std::uint32_t tokens, std::uint32_t tiles) const noexcept { return (*this)(tokens) + tile * tiles; }
};

}  // namespace stowage::plan
