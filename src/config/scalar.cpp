// SPDX-License-Identifier: Apache-2.0
#include "config/scalar.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace stowage::config {
namespace {

constexpr std::size_t kShownBytes = 48;

bool is_control(char c) {
  return (0 <= c && c < 0x20) || c == 0x7F;
}
bool is_digit(char c) {
  return '0' <= c && c <= '9';
}
bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}
bool has_leading_zero(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
}

std::string_view without_minus(std::string_view text) {
  return text.starts_with('-') ? text.substr(1) : text;
}

bool is_integer(std::string_view text) {
  const std::string_view digits = without_minus(text);
  return is_digits(digits) && !has_leading_zero(digits);
}

// The number that the whole text spells; nothing for "nan", "inf", hexadecimal and the like.
std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool is_based(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") || text.starts_with("0o") || text.starts_with("0b");
}

bool is_grouped(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c == '_' || c == ','; }) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '_' || c == ','; });
}

// What to do about a scalar that looks like a number and is not taken for one; empty if it does not look like one.
std::string_view number_hint(const Node& node) {
  if (node.kind != Node::Kind::scalar) return "";
  const std::string_view text = without_minus(node.text);
  if (node.quoted) return finite_number(text) ? ": remove the quotes" : "";
  if (is_based(text)) return ": write it in decimal";
  if (has_leading_zero(text)) return ": write it without leading zeros";
  if (text.starts_with('+')) return ": write it without '+'";
  if (is_grouped(text)) return ": write it without separators";
  if (finite_number(text)) return ": write it as an integer, all digits, without point and exponent";
  return "";
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result(text.substr(0, kShownBytes));
  if (result.size() < text.size()) {
    const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    std::size_t end = result.size();
    while (end > 0 && is_continuation(text[end])) --end;
    result.resize(end);
    result += "...";
  }
  std::replace_if(result.begin(), result.end(), is_control, ' ');
  return result;
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a mapping";
    case Node::Kind::scalar:
      break;
  }
  return node.quoted ? fmt::format("\"{}\"", printable(node.text)) : fmt::format("'{}'", printable(node.text));
}

std::optional<std::uint64_t> as_integer(const Asked& asked, const Node& node, std::uint64_t min, std::uint64_t max) {
  if (node.kind != Node::Kind::scalar || node.quoted || !is_integer(node.text)) {
    asked.report.add(asked.mark, "{} must be an integer >= {}, got {}{}", asked.name, min, shown(node),
                     number_hint(node));
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const auto error = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value).ec;
  const bool is_negative = error == std::errc::invalid_argument;  // no '-' for an unsigned integer
  if (is_negative || (error == std::errc{} && value < min)) {
    asked.report.add(asked.mark, "{} must be an integer >= {}, got {}", asked.name, min, printable(node.text));
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range || value > max) {
    asked.report.add(asked.mark, "{} must be an integer <= {}, got {}", asked.name, max, printable(node.text));
    return std::nullopt;
  }
  return value;
}

std::optional<double> as_number(const Asked& asked, const Node& node, double min, double max) {
  const bool is_plain = node.kind == Node::Kind::scalar && !node.quoted && !has_leading_zero(without_minus(node.text));
  const auto value = is_plain ? finite_number(node.text) : std::nullopt;
  if (!value) {
    asked.report.add(asked.mark, "{} must be a finite number >= {}, got {}{}", asked.name, min, shown(node),
                     number_hint(node));
    return std::nullopt;
  }
  if (*value < min) {
    asked.report.add(asked.mark, "{} must be a finite number >= {}, got {}", asked.name, min, printable(node.text));
    return std::nullopt;
  }
  if (*value > max) {
    asked.report.add(asked.mark, "{} must be a number <= {}, got {}", asked.name, max, printable(node.text));
    return std::nullopt;
  }
  return *value + 0.0;  // -0 becomes 0
}

std::optional<bool> as_boolean(const Asked& asked, const Node& node) {
  if (node.kind == Node::Kind::scalar && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  asked.report.add(asked.mark, "{} must be true or false, got {}", asked.name, shown(node));
  return std::nullopt;
}

std::optional<std::string> as_text(const Asked& asked, const Node& node) {
  if (node.kind != Node::Kind::scalar) {
    asked.report.add(asked.mark, "{} must be text, got {}", asked.name, shown(node));
    return std::nullopt;
  }
  if (node.text.empty()) {
    asked.report.add(asked.mark, "{} must not be empty", asked.name);
    return std::nullopt;
  }
  if (std::any_of(node.text.begin(), node.text.end(), is_control)) {
    asked.report.add(asked.mark, "{} must not contain control characters, got {}", asked.name, shown(node));
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::vector<std::string>> as_texts(const Asked& asked, const Node& node) {
  std::vector<std::string> texts;
  if (node.kind != Node::Kind::list) {
    auto text = as_text(asked, node);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
    return texts;
  }
  if (node.items.empty()) {
    asked.report.add(asked.mark, "{} must not be an empty list", asked.name);
    return std::nullopt;
  }
  for (const auto& item : node.items) {
    if (auto text = as_text({asked.report, asked.name, item->mark}, *item)) texts.push_back(std::move(*text));
  }
  return texts.size() == node.items.size() ? std::optional(std::move(texts)) : std::nullopt;
}

}  // namespace stowage::config
