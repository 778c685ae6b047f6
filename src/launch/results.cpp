// SPDX-License-Identifier: Apache-2.0
#include "launch/results.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/error.hpp"

namespace stowage::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".stowage-run.";
constexpr std::string_view kStarted = ".started";
constexpr std::string_view kEnded = ".ended";
constexpr const char* kOver = "over";

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path temporary = path.string() + ".new";
  std::ofstream out(temporary);
  out << text << '\n';
  out.close();
  std::error_code error;
  if (out) fs::rename(temporary, path, error);
  if (!out || error) fail(STOWAGE_IO_ERROR, "{}: cannot write it; is the folder visible to all nodes?", path.string());
}

// Folders are named after host and process of their run.
void remove_stale(const fs::path& parent) {
  const std::string mine = fmt::format("{}{}.", kPrefix, host_name());
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(mine)) continue;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str() + mine.size(), nullptr, 10));
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

std::string Ending::text() const {
  return by_signal ? fmt::format("was killed by signal {} ({})", number, strsignal(number))
                   : fmt::format("ended with status {}", number);
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Results Results::make(const fs::path& parent) {
  remove_stale(parent);
  std::string pattern = fmt::format("{}/{}{}.{}.XXXXXX", fs::absolute(parent).lexically_normal().string(), kPrefix,
                                    host_name(), getpid());
  if (pattern.find_first_of(" \t\n") != std::string::npos) {
    fail(STOWAGE_INVALID_ARGUMENT, "'{}': launchers cannot pass on a path with white space; choose another --results",
         pattern);
  }
  if (mkdtemp(pattern.data()) == nullptr) {
    fail(STOWAGE_IO_ERROR, "{}: cannot make a folder here for the results of ranks ({}); choose another with --results",
         parent.string(), std::strerror(errno));
  }
  return Results(pattern);
}

void Results::remove() const noexcept {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Results::started(int rank, const RankRecord& record) const {
  write_whole(folder_ / fmt::format("{}{}", rank, kStarted),
              fmt::format("{} {} {} {} {}", record.loader ? "loader" : "trainer", record.size, record.host, record.pid,
                          record.step));
}

void Results::ended(int rank, const Ending& ending) const {
  write_whole(folder_ / fmt::format("{}{}", rank, kEnded),
              fmt::format("{} {}", ending.by_signal ? "signal" : "exit", ending.number));
}

void Results::send(int number, int signal) const {
  write_whole(folder_ / fmt::format("signal.{}", number), std::to_string(signal));
}

std::optional<int> Results::signal(int number) const {
  std::ifstream in(folder_ / fmt::format("signal.{}", number));
  int signal = 0;
  if (in >> signal) return signal;
  return std::nullopt;
}

void Results::finish() const {
  write_whole(folder_ / kOver, "");
}

bool Results::over() const {
  std::error_code ignored;
  return fs::exists(folder_ / kOver, ignored);
}

void Results::update(std::map<int, RankRecord>& ranks) const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string extension = entry.path().extension();
    const int rank = std::atoi(entry.path().stem().c_str());
    std::string word;
    if (extension == kStarted && ranks[rank].pid == 0) {
      RankRecord& record = ranks[rank];
      std::ifstream(entry.path()) >> word >> record.size >> record.host >> record.pid >> record.step;
      record.loader = word == "loader";
    } else if (extension == kEnded && !ranks[rank].ending) {
      Ending ending;
      std::ifstream(entry.path()) >> word >> ending.number;
      ending.by_signal = word == "signal";
      ranks[rank].ending = ending;
    }
  }
}

}  // namespace stowage::launch
