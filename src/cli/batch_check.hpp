// SPDX-License-Identifier: Apache-2.0
// What the stand-in trainer demands of everything it receives: the promises of stowage.h, checked array by array.
#pragma once

#include <cstdint>

#include "stowage.h"

namespace stowage::cli {

// Throws STOWAGE_INTERNAL_ERROR that names step, replica, micro-batch, array, index, expectation and value.
void check_step(const stowage_step& step, const stowage_info& info, std::uint64_t expected_step);

}  // namespace stowage::cli
