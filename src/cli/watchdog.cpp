// SPDX-License-Identifier: Apache-2.0
#include "cli/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace stowage::cli {

namespace {

constexpr std::chrono::duration<double> kCentury{3.2e9};  // more does not fit the clock

}  // namespace

Watchdog::Watchdog(std::chrono::duration<double> limit, int status, std::string message)
    : thread_([this, limit, status, message = std::move(message)] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, std::min(limit, kCentury), [this] { return called_off_; })) return;
        if (!message.empty()) std::fprintf(stderr, "stowage: %s\n", message.c_str());
        std::fflush(nullptr);
        _exit(status);
      }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    called_off_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace stowage::cli
