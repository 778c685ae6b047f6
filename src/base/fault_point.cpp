// SPDX-License-Identifier: Apache-2.0
#include "base/fault_point.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>

#include "base/error.hpp"

namespace stowage {
namespace {

// Cuts `text` at the first `separator`: what stands before it is returned, `text` keeps the rest.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view head = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), head.size() + 1));
  return head;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t rank_by_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable)) return number(rank).value_or(0);
  }
  return 0;
}

void write_down(std::string_view point) {
  const char* file = std::getenv("STOWAGE_FAULT_FILE");
  if (file == nullptr) return;
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  const std::string line = fmt::format("{} {} {:.6f}\n", getpid(), point, now.count());
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0 || write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    fail(STOWAGE_IO_ERROR, "{} (STOWAGE_FAULT_FILE): cannot append to it", file);
  }
  close(descriptor);
}

}  // namespace

FaultPlan::FaultPlan(std::string_view text, std::uint64_t rank) {
  while (!text.empty()) {
    const std::string_view whole = cut(text, ',');
    std::string_view rest = whole;
    const auto of_rank = number(cut(rest, ':'));
    const std::string_view name = cut(rest, ':');
    const auto nth = number(cut(rest, ':'));
    const auto* const point = std::ranges::find(kFaultPoints, name);
    if (!of_rank || point == kFaultPoints.end() || nth.value_or(0) == 0 || (rest != "KILL" && rest != "STOP")) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "STOWAGE_FAULT: expected RANK:POINT:NTH:SIGNAL with a POINT of {}, NTH from 1 and KILL or STOP, found '{}'",
           fmt::join(kFaultPoints, ", "), whole);
    }
    if (*of_rank == rank) faults_.push_back({*point, *nth, rest == "KILL" ? SIGKILL : SIGSTOP});
  }
}

std::optional<int> FaultPlan::pass(std::string_view point) {
  const std::uint64_t passage = ++passed_[point];
  for (const Fault& fault : faults_) {
    if (fault.point == point && fault.nth == passage) return fault.signal;
  }
  return std::nullopt;
}

namespace fault {

const bool armed = std::getenv("STOWAGE_FAULT") != nullptr;

void pass(std::string_view point) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static FaultPlan plan(std::getenv("STOWAGE_FAULT"), rank_by_launcher());
  const std::optional<int> signal = plan.pass(point);
  if (!signal) return;
  write_down(point);
  kill(getpid(), *signal);
}

}  // namespace fault
}  // namespace stowage
