// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/text_table.hpp"

#include <array>

#include "base/error.hpp"

namespace stowage::checkpoint {
namespace {

struct Escape {
  char letter;  // behind the backslash
  char meaning;
};
constexpr std::array<Escape, 4> kEscapes{{{'\\', '\\'}, {'t', '\t'}, {'n', '\n'}, {'0', '\0'}}};

char escaped_letter(char meaning) noexcept {
  for (const Escape& escape : kEscapes) {
    if (escape.meaning == meaning) return escape.letter;
  }
  return '\0';
}

char meaning_of(char letter, std::size_t offset, std::string_view what) {
  for (const Escape& escape : kEscapes) {
    if (escape.letter == letter) return escape.meaning;
  }
  fail(STOWAGE_DATA_ERROR, "{}: byte {}: expected one of \\t0n behind a backslash, found byte value {}", what, offset,
       static_cast<unsigned char>(letter));
}

}  // namespace

TextTable& TextTable::add(std::initializer_list<std::string_view> row) {
  bool first = true;
  for (const std::string_view cell : row) {
    if (!first) text_ += '\t';
    first = false;
    for (const char c : cell) {
      if (const char letter = escaped_letter(c); letter != '\0') {
        text_ += '\\';
        text_ += letter;
      } else {
        text_ += c;
      }
    }
  }
  text_ += '\n';
  return *this;
}

std::vector<std::vector<std::string>> parse_table(std::string_view text, std::size_t columns, std::string_view what) {
  if (!text.empty() && text.back() != '\n') {
    fail(STOWAGE_DATA_ERROR, "{}: byte {}: expected a newline at the end, found none", what, text.size());
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\t') {
      row.emplace_back();
    } else if (text[i] == '\n') {
      if (row.size() != columns) {
        fail(STOWAGE_DATA_ERROR, "{}: line {}: expected {} columns, found {}", what, rows.size() + 1, columns,
             row.size());
      }
      rows.push_back(std::move(row));
      row.assign(1, {});
    } else if (text[i] == '\\') {
      ++i;  // never the end: the text ends in a newline
      row.back() += meaning_of(text[i], i, what);
    } else {
      row.back() += text[i];
    }
  }
  return rows;
}

}  // namespace stowage::checkpoint
