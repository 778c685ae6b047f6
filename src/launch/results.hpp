// SPDX-License-Identifier: Apache-2.0
// The private folder in which the ranks of one run leave what became of them. It must be visible to all nodes of the
// job. Every file appears complete, under its name, or not at all.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace stowage::launch {

struct Ending {
  bool by_signal = false;
  int number = 0;  // exit status or signal

  // As shells have it: the exit status, or 128 + signal.
  int status() const noexcept { return by_signal ? 128 + number : number; }
  std::string text() const;
};

struct RankRecord {
  bool loader = false;
  int size = 0;  // ranks of the job; 0: the launcher does not say
  std::string host;
  pid_t pid = 0;     // of the process that watches the rank's program
  std::string step;  // Slurm's JOB.STEP, or "-"
  std::optional<Ending> ending;
};

class Results {
 public:
  explicit Results(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // A new folder in `parent`. Removes there what runs of this host left behind that were killed. Throws
  // STOWAGE_IO_ERROR.
  static Results make(const std::filesystem::path& parent);
  void remove() const noexcept;
  const std::filesystem::path& folder() const noexcept { return folder_; }

  // For ranks. Throw STOWAGE_IO_ERROR.
  void started(int rank, const RankRecord& record) const;
  void ended(int rank, const Ending& ending) const;
  std::optional<int> signal(int number) const;  // the signal that was sent as `number` (from 0)
  bool over() const;                            // finish() was called

  // For whoever started them. update() adds to `ranks` what is new.
  void update(std::map<int, RankRecord>& ranks) const;
  void send(int number, int signal) const;
  void finish() const;  // every rank's program has ended

 private:
  std::filesystem::path folder_;
};

std::string host_name();

}  // namespace stowage::launch
