// SPDX-License-Identifier: Apache-2.0
// What is collected while a configuration is read.
#pragma once

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "config/parse.hpp"

namespace stowage::config {

struct Report {
  std::vector<Problem> problems;
  // False after a syntax error: the rest of the text is unread, so nothing may be called missing.
  bool complete = true;

  template <typename... Args>
  void add(Mark mark, fmt::format_string<Args...> format, Args&&... args) {
    problems.push_back({mark, fmt::format(format, std::forward<Args>(args)...)});
  }
};

}  // namespace stowage::config
