// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace stowage::cli {
namespace {

constexpr std::chrono::seconds kLineEvery{2};

}  // namespace

Progress::Progress(std::string what, bool quiet)
    : what_(std::move(what)), quiet_(quiet), began_(Clock::now()), next_line_(began_) {
  if (!quiet && isatty(STDERR_FILENO) == 1) bar_.emplace(what_);
}

void Progress::update(std::uint64_t done, std::uint64_t all) {
  if (quiet_) return;
  const std::string step = all == 0 ? fmt::format("step {}", done) : fmt::format("step {} of {}", done, all);
  if (bar_) {
    bar_->update(done, all, step);
    return;
  }
  const Clock::time_point now = Clock::now();
  if (now < next_line_ && done != all) return;
  next_line_ = now + kLineEvery;
  fmt::print(stderr, "{}: {} after {:.1f} s\n", what_, step, std::chrono::duration<double>(now - began_).count());
}

}  // namespace stowage::cli
