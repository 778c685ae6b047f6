// SPDX-License-Identifier: Apache-2.0
// Strings of fixed length: padded with zero bytes, UTF-8. Stored in place, not in HDF5's global heap, which has no
// checksums and no stable layout.
#pragma once

#include <string>
#include <vector>

#include "h5/file.hpp"

namespace stowage::h5 {

// The type of strings of up to `bytes` bytes.
TypeId fixed_string_type(std::size_t bytes, const Context& context);

// Bytes of a fixed-length string type; throws STOWAGE_DATA_ERROR that names `context.object` for any other type.
std::size_t fixed_string_bytes(const TypeId& type, const Context& context);

// The string without the zero bytes at its end.
std::string without_padding(std::string padded);

// A one-dimensional contiguous dataset of strings, as long as the longest.
void write_strings(const File& file, const std::string& name, const std::vector<std::string>& values);
std::vector<std::string> read_strings(const File& file, const std::string& name, std::uint64_t file_bytes);

// A scalar dataset that holds one text, of any length. Zero bytes at its end are not kept.
void write_text(const File& file, const std::string& name, const std::string& text);
std::string read_text(const File& file, const std::string& name);

}  // namespace stowage::h5
