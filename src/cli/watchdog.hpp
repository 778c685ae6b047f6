// SPDX-License-Identifier: Apache-2.0
// Ends the process if something that cannot be abandoned takes too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace stowage::cli {

// From construction to destruction: when the limit passes first, writes `message` (if any) to standard error and ends
// the process with `status`, without destructors or exit handlers.
class Watchdog {
 public:
  Watchdog(std::chrono::duration<double> limit, int status, std::string message);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool called_off_ = false;
  std::thread thread_;
};

}  // namespace stowage::cli
