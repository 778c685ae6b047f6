// SPDX-License-Identifier: Apache-2.0
// A comparison of assignment methods as one self-contained HTML page.
#pragma once

#include <string>

#include "cli/plan_comparison.hpp"

namespace stowage::cli {

// Load a replica in the first step, a panel a method, all on one scale; and the table of measures.
std::string plan_page(const Comparison& comparison);

}  // namespace stowage::cli
