// SPDX-License-Identifier: Apache-2.0
// What the terminal behind standard output can show.
#pragma once

#include <cstddef>

namespace stowage::cli {

// Its width; without a terminal the environment variable COLUMNS, else 80.
std::size_t output_columns();

// Whether the locale of the environment encodes text as UTF-8.
bool locale_is_utf8();

}  // namespace stowage::cli
