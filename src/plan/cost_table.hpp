// SPDX-License-Identifier: Apache-2.0
// Cost models from measurements.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/cost.hpp"

namespace stowage::plan {

// The time that a micro-batch of one segment of that many tokens took.
struct CostSample {
  std::uint32_t tokens = 0;
  double seconds = 0.0;
};

// CSV text whose first line names the columns `tokens` and `seconds` (others are passed over). `file` names it in
// messages. Throws STOWAGE_DATA_ERROR with file and line for what is not such a table.
std::vector<CostSample> parse_cost_table(std::string_view csv, std::string_view file);

// per_micro_batch + linear l + quadratic l^2, none negative, with the least sum of squared relative errors. Throws
// STOWAGE_INVALID_ARGUMENT for fewer than three different lengths or times that are not positive.
CostModel fit_cost(std::span<const CostSample> samples);

}  // namespace stowage::plan
