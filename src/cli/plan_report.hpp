// SPDX-License-Identifier: Apache-2.0
// A comparison of assignment methods as a table for a terminal, and as JSON.
#pragma once

#include <string>

#include "cli/plan_comparison.hpp"

namespace stowage::cli {

std::string plan_table(const Comparison& comparison);
std::string plan_json(const Comparison& comparison);

}  // namespace stowage::cli
