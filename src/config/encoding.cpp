// SPDX-License-Identifier: Apache-2.0
#include "config/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stowage::config {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

bool is_between(unsigned value, unsigned low, unsigned high) {
  return low <= value && value <= high;
}

// Bytes of the well-formed sequence that begins at `at`; 0 if it is not one.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  const unsigned second = byte_at(text, at + 1);
  const auto continues = [&](std::size_t offset) { return is_between(byte_at(text, at + offset), 0x80, 0xBF); };
  if (lead < 0x80) return 1;
  if (is_between(lead, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (is_between(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;   // no overlong forms
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;  // no surrogates
    return is_between(second, low, high) && continues(2) ? 3 : 0;
  }
  if (is_between(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return is_between(second, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

bool is_forbidden_control(unsigned byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
}

Mark mark_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 = 0
  return {static_cast<int>(line), static_cast<int>(at - line_begin + 1)};
}

}  // namespace

std::optional<BadByte> find_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const unsigned byte = byte_at(text, at);
    if (is_forbidden_control(byte)) {
      return BadByte{mark_of(text, at), fmt::format("control character 0x{:02x}: a configuration is UTF-8 text", byte)};
    }
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      return BadByte{mark_of(text, at), fmt::format("byte 0x{:02x} is not UTF-8: save the file as UTF-8 text", byte)};
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace stowage::config
