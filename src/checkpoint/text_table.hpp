// SPDX-License-Identifier: Apache-2.0
// Rows of strings as one text: a line a row, columns apart by tabs; backslash, tab, newline and zero byte are written
// as \\, \t, \n and \0. Any bytes come back as they were.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::checkpoint {

class TextTable {
 public:
  // Adds one row.
  TextTable& add(std::initializer_list<std::string_view> row);
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

// The rows of such a text. Throws STOWAGE_DATA_ERROR, `what` first, unless every row has `columns` columns and the last
// line is ended.
std::vector<std::vector<std::string>> parse_table(std::string_view text, std::size_t columns, std::string_view what);

}  // namespace stowage::checkpoint
