// SPDX-License-Identifier: Apache-2.0
// Whether a text may be given to the YAML parser at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace stowage::config {

struct BadByte {
  Mark mark;  // column in bytes
  std::string message;
};

// The first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7) or is a control character other than
// tab, line feed and carriage return; nothing if there is none.
std::optional<BadByte> find_bad_byte(std::string_view text);

}  // namespace stowage::config
