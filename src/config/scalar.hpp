// SPDX-License-Identifier: Apache-2.0
// YAML nodes to values. Stricter than YAML: one spelling of an integer (decimal, no leading zero, no sign but '-'), one
// of a truth value, and a quoted scalar is text and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/report.hpp"
#include "config/tree.hpp"

namespace stowage::config {

// What a reader is asked: the value's name in messages and where to report.
struct Asked {
  Report& report;
  std::string name;
  Mark mark;
};

// Each returns nothing after it has reported why the node is not what was asked for.
std::optional<std::uint64_t> as_integer(const Asked& asked, const Node& node, std::uint64_t min, std::uint64_t max);
std::optional<double> as_number(const Asked& asked, const Node& node, double min, double max);
std::optional<bool> as_boolean(const Asked& asked, const Node& node);
std::optional<std::string> as_text(const Asked& asked, const Node& node);  // not empty, no control characters
// One text or a list of them, at least one.
std::optional<std::vector<std::string>> as_texts(const Asked& asked, const Node& node);

// A text cut to a length that a message can bear, control characters blanked.
std::string printable(std::string_view text);

// The node as it is named after "got" in a message: 'abc', "quoted", a list, a mapping, nothing.
std::string shown(const Node& node);

}  // namespace stowage::config
