// SPDX-License-Identifier: Apache-2.0
// A bar on standard error that shows how far a command is: on a terminal only, so that logs stay clean.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace stowage::cli {

// Draws at most ten times a second. The line is erased by the destructor. Not thread-safe.
class ProgressBar {
 public:
  // `label` stands in front of the bar. Does nothing ever after if standard error is no terminal.
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` of `total`; `detail` stands behind the bar as far as the terminal is wide.
  void update(std::uint64_t done, std::uint64_t total, std::string_view detail);

 private:
  std::string label_;
  bool visible_;
  std::chrono::steady_clock::time_point next_draw_{};
};

}  // namespace stowage::cli
