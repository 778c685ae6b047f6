// SPDX-License-Identifier: Apache-2.0
// Which checkpoints a run writes, and when; on the one loader rank that writes them.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkpoint/ledger.hpp"
#include "checkpoint/store.hpp"
#include "config/config.hpp"
#include "loader/resume.hpp"

namespace stowage::loader {

// A checkpoint is encoded where progress() is called, which is the thread of this process that uses HDF5, and written
// by a thread that makes plain system calls only. At most one is under way. One thread.
class Checkpoints {
 public:
  struct Outcome {
    std::uint64_t step = 0;
    Status status = STOWAGE_OK;  // OK: it is durable
  };

  // Opens the folder for writing; throws what checkpoint::Store throws. `start`: of the run.
  Checkpoints(const config::Checkpoint& config, const Start& start);
  ~Checkpoints();  // returns when what is being written is written
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // The state before `step` is wanted, as soon as that step is known. Asking again for one that is durable writes
  // nothing.
  void request(std::uint64_t step);

  // Begins the next checkpoint that is due and takes note of what was written. Never waits. What fails is logged: the
  // run goes on without it.
  void progress(const checkpoint::Ledger& ledger);

  // What became of requested steps since the last call.
  std::vector<Outcome> take_outcomes() { return std::exchange(outcomes_, {}); }

  // Writes what is requested and known, and the committed state if it is not durable; waits for it. Throws
  // STOWAGE_IO_ERROR if the committed state could not be written.
  void finish(const checkpoint::Ledger& ledger);

 private:
  void write(const checkpoint::Ledger& ledger, std::uint64_t step);
  void take_note();
  std::optional<std::uint64_t> next_due(const checkpoint::Ledger& ledger);
  void settle(std::uint64_t step, Status status);

  checkpoint::Store store_;
  checkpoint::Fingerprint fingerprint_;
  std::vector<checkpoint::Input> inputs_;
  std::uint64_t every_steps_;
  std::uint64_t next_regular_;
  std::set<std::uint64_t> requested_;
  std::optional<std::uint64_t> durable_;  // the step of the last one written
  std::uint64_t writing_step_ = 0;
  std::future<checkpoint::Generation> writing_;
  std::vector<Outcome> outcomes_;
};

}  // namespace stowage::loader
