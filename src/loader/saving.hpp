// SPDX-License-Identifier: Apache-2.0
// What a loader rank does for checkpoints: hears what trainers ask for, notices that the run is to end, and writes if
// it is the rank that does.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <memory>

#include "checkpoint/ledger.hpp"
#include "config/config.hpp"
#include "deliver/save.hpp"
#include "deliver/server.hpp"
#include "loader/checkpoints.hpp"
#include "loader/resume.hpp"
#include "mpi/wait.hpp"

namespace stowage::loader {

// Not collective. One thread.
class Saving {
 public:
  // ended: set from outside (a signal handler) when the run is to end; may be null. Borrowed.
  Saving(MPI_Comm world, const std::atomic<bool>* ended) : requests_(world), ended_(ended) {}

  // From now on this rank writes the checkpoints. Without a directory in the configuration there are none. Throws what
  // Checkpoints throws.
  void write_here(const config::Config& config, const Start& start);

  // The same in place of a rank that is lost: what does not work yet, because the lost one's lock is still there, is
  // tried again in progress(). Borrows both.
  void write_in_place(const config::Config& config, const Start& start);

  // For idle hooks. Throws STOWAGE_PREEMPTED, once, if the run is to end: this process or a trainer was told so.
  void check(const deliver::Server* server);

  // Writes what is due, in the background, and answers trainers. Never waits. Not from idle hooks: it uses HDF5.
  void progress(const checkpoint::Ledger& ledger);

  // The last checkpoint; returns when it is durable. Throws STOWAGE_IO_ERROR.
  void finish(const checkpoint::Ledger& ledger);

 private:
  bool ready();
  void answer();

  deliver::SaveServer requests_;
  const std::atomic<bool>* ended_;
  bool ending_ = false;
  std::unique_ptr<Checkpoints> checkpoints_;  // on the rank that writes
  std::function<void()> open_;                // where that could not be made yet
  mpi::Deadline next_try_;
};

}  // namespace stowage::loader
