// SPDX-License-Identifier: Apache-2.0
// Named places of the hot path where a test injures the process on purpose. Compiled in always; without STOWAGE_FAULT
// in the environment of the process a passage costs one predictable branch.
//
//   STOWAGE_FAULT       RANK:POINT:NTH:SIGNAL[,RANK:POINT:NTH:SIGNAL...]
//                       At its NTH passage (from 1) of POINT the process of rank RANK raises SIGNAL, KILL or STOP,
//                       against itself. RANK is the rank in the job as the launcher says it (OMPI_COMM_WORLD_RANK,
//                       PMIX_RANK, SLURM_PROCID); 0 without a launcher.
//   STOWAGE_FAULT_FILE  Each fault first appends a line 'pid point seconds' to this file; seconds of CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace stowage {

// Every point there is, in the order of a step.
inline constexpr std::array<std::string_view, 7> kFaultPoints{
    "all_to_all_1", "planning", "reading", "all_to_all_2", "delivering", "writing_checkpoint", "taking_over"};

// The faults that a process is to suffer. Pure: it says when, and raises nothing.
class FaultPlan {
 public:
  // The faults for `rank` in a value of STOWAGE_FAULT. Throws STOWAGE_INVALID_ARGUMENT if the value is malformed or
  // names a point that there is not.
  FaultPlan(std::string_view text, std::uint64_t rank);

  // Counts a passage of `point`; the signal that is due at it, if any.
  std::optional<int> pass(std::string_view point);

 private:
  struct Fault {
    std::string_view point;
    std::uint64_t nth = 0;
    int signal = 0;
  };
  std::vector<Fault> faults_;
  std::map<std::string_view, std::uint64_t> passed_;
};

namespace fault {
extern const bool armed;  // STOWAGE_FAULT was set when the process started
void pass(std::string_view point);
}  // namespace fault

// A passage of `point`, one of kFaultPoints. Thread-safe. Throws STOWAGE_INVALID_ARGUMENT if STOWAGE_FAULT is
// malformed.
inline void fault_point(std::string_view point) {
  if (fault::armed) [[unlikely]]
    fault::pass(point);
}

}  // namespace stowage
