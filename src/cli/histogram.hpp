// SPDX-License-Identifier: Apache-2.0
// Histograms as text.
#pragma once

#include <span>
#include <string>

#include "source/length_summary.hpp"

namespace stowage::cli {

// One line a bin: "  128-191 ███▌ 1,234". The longest bar fills `columns`; a bin that is not empty shows at least a
// sliver. ascii: bars of '#'.
std::string draw_histogram(std::span<const source::LengthBin> bins, std::size_t columns, bool ascii);

}  // namespace stowage::cli
