// SPDX-License-Identifier: Apache-2.0
// What the stand-in trainer demands of everything it receives: the promises of stowage.h, checked array by array.
#pragma once

#include <cstdint>

#include "stowage.h"

namespace stowage::cli {

// place: what the trainer said of itself, which decides what it must have got and what not.
// Throws STOWAGE_INTERNAL_ERROR that names step, replica, micro-batch, array, index, expectation and value.
void check_step(const stowage_step& step, const stowage_info& info, const stowage_trainer_options& place,
                std::uint64_t expected_step);

}  // namespace stowage::cli
