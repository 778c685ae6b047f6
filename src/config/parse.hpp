// SPDX-License-Identifier: Apache-2.0
// YAML text to Config, with every problem of the text found in one pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"

namespace stowage::config {

struct Problem {
  Mark mark;
  std::string message;  // expectation, value found, what to do; without file and place
};

struct Parsed {
  // Usable for a run only if problems is empty. With problems in a complete text its sources can still be looked at:
  // those with paths have a known format, and what was wrong has a value that raises no second problem.
  Config config;
  std::vector<Problem> problems;  // in file order
  bool complete = true;           // false: a syntax error left the rest of the text unread
};

// Pure: touches no file. `file` is used for messages and, its folder, to resolve relative paths.
Parsed parse(std::string_view yaml, const std::string& file);

// "demo.yaml:12:5: micro_batch.tokens must be >= 1, got 0", one a line, in file order.
std::string describe(const std::string& file, const std::vector<Problem>& problems);

// parse(), with all problems thrown as one STOWAGE_CONFIG_ERROR whose text is describe().
Config parse_or_throw(std::string_view yaml, const std::string& file);

// The text of a configuration file; throws STOWAGE_IO_ERROR that names it.
std::string read_text(const std::string& file);

}  // namespace stowage::config
