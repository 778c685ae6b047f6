// SPDX-License-Identifier: Apache-2.0
#include "cli/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.hpp"

namespace stowage::cli {

History::History(const std::string& file) {
  if (file.empty()) return;
  descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail(STOWAGE_IO_ERROR, "{}: cannot open it to append ({})", file, std::strerror(errno));
}

History::~History() {
  if (descriptor_ >= 0) close(descriptor_);
}

void History::add(const stowage_step& step, double waited_seconds) {
  if (descriptor_ < 0) return;
  char hex[33];
  stowage_step_digest(&step, hex);
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  const std::string line =
      fmt::format("{} {} {} {:.3f} {:.6f}\n", step.step, step.replica, hex, waited_seconds * 1e3, now.count());
  if (write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    fail(STOWAGE_IO_ERROR, "cannot append to the history ({})", std::strerror(errno));
  }
}

}  // namespace stowage::cli
