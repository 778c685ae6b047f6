// SPDX-License-Identifier: Apache-2.0
// Arrays of counts and ids, stored in the fewest bytes that hold their largest value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "h5/dataset.hpp"

namespace stowage::h5 {

// A one-dimensional contiguous dataset of unsigned integers of 1, 2, 4 or 8 bytes, with an attribute "unit".
void write_unsigned(const File& file, const std::string& name, std::span<const std::uint64_t> values,
                    const std::string& unit);

// Reads such a dataset, whatever its width. Throws STOWAGE_DATA_ERROR if it is missing or holds something else.
std::vector<std::uint64_t> read_unsigned(const File& file, const std::string& name);

// Whether the file holds an object of this name; every group on the way to it must exist.
bool exists(const File& file, const std::string& name);

}  // namespace stowage::h5
