// SPDX-License-Identifier: Apache-2.0
// How far a run is, on standard error: a bar on a terminal, a line now and then in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/progress_bar.hpp"

namespace stowage::cli {

class Progress {
 public:
  // `what` begins every line. A quiet one shows nothing.
  Progress(std::string what, bool quiet);

  void update(std::uint64_t done, std::uint64_t all);  // all = 0: not known
  void finish() { bar_.reset(); }                      // takes the bar off the terminal

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool quiet_;
  std::optional<ProgressBar> bar_;
  Clock::time_point began_;
  Clock::time_point next_line_;
};

}  // namespace stowage::cli
