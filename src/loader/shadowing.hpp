// SPDX-License-Identifier: Apache-2.0
// What working loader ranks tell their shadows: the difference that each step makes to the state, which every shadow
// has acknowledged before the step's data is released.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checkpoint/state.hpp"
#include "mpi/group.hpp"
#include "mpi/request.hpp"
#include "mpi/wait.hpp"

namespace stowage::loader {

// Of one view of the crew. The first working rank tells; every working rank waits for every shadow's acknowledgement.
// Messages of the group; waits poll and call `idle`, and what it throws ends them: the object can then only be
// destroyed. One thread.
class Shadowing {
 public:
  // group: all living loader ranks. active, shadows: their ranks in the group.
  Shadowing(mpi::Group group, std::vector<int> active, std::vector<int> shadows, mpi::Idle idle);

  // Of a working rank: what `step` did, of which steps below `committed` are delivered. Returns when every shadow
  // knows. Every working rank calls it for every step, in order.
  void explain(std::uint64_t step, const checkpoint::StepDelta& delta, std::uint64_t committed);

  // Of a working rank: no step follows.
  void end();

  struct Explained {
    std::uint64_t step = 0;
    std::uint64_t committed = 0;
    checkpoint::StepDelta delta;
  };
  // Of a shadow: the next step; nothing at the end. acknowledge() tells the working ranks that it is kept.
  std::optional<Explained> hear();
  void acknowledge(std::uint64_t step);

 private:
  struct Head {
    std::uint64_t step = 0;
    std::uint64_t committed = 0;
    std::uint64_t bytes = 0;  // of the difference that follows; 0: the end
  };

  void send(int to, const Head& head, const Bytes& delta);

  mpi::Group group_;
  std::vector<int> active_;
  std::vector<int> shadows_;
  mpi::Idle idle_;
};

}  // namespace stowage::loader
