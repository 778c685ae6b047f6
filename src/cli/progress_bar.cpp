// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace stowage::cli {

namespace {

constexpr std::string_view kBackAndErase = "\r\033[K";

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar(std::string label) : label_(std::move(label)), visible_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (visible_) fmt::print(stderr, "{}", kBackAndErase);
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total, std::string_view detail) {
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  constexpr std::size_t width = 30;
  const double share = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * width);
  std::string line =
      fmt::format("{} [{:#>{}}{:->{}}] {:3.0f} %  {}", label_, "", filled, "", width - filled, share * 100.0, detail);
  line.resize(std::min(line.size(), terminal_columns() - 1));
  fmt::print(stderr, "{}{}", kBackAndErase, line);
  std::fflush(stderr);
}

}  // namespace stowage::cli
