// SPDX-License-Identifier: Apache-2.0
// Where a trainer's steps come from: loader ranks (client.hpp) or this very process (loader/embedded.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "deliver/step_block.hpp"

namespace stowage::deliver {

// Used by one thread at a time. Not collective, except close().
class StepSource {
 public:
  virtual ~StepSource() = default;

  virtual const stowage_info& info() const noexcept = 0;
  virtual MPI_Comm communicator() const noexcept = 0;  // the trainers' own; MPI_COMM_NULL without MPI

  // The next step in order; nullptr after the last. Waits at most `seconds`, then throws STOWAGE_TIMEOUT; any other
  // error is final.
  virtual const StepView* acquire(double seconds) = 0;

  // Gives the oldest acquired step back, which must be `step`; else throws STOWAGE_STATE_ERROR.
  virtual void release(const stowage_step& step) = 0;

  // Asks for a checkpoint of the state before `step`; returns at once. Throws STOWAGE_UNSUPPORTED where the run has
  // none.
  virtual void save(std::uint64_t step) = 0;

  // What became of it: nothing while it is under way, OK once it is durable. Throws STOWAGE_STATE_ERROR if it was not
  // asked for, and any error that ended the run.
  virtual std::optional<Status> saved(std::uint64_t step) = 0;

  // The run shall end, saved. May be called in a signal handler.
  virtual void preempt() noexcept = 0;

  // Leaves. After it only the destructor may be called.
  virtual void close() = 0;
};

}  // namespace stowage::deliver
