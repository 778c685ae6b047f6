// SPDX-License-Identifier: Apache-2.0
// Comparisons under one launcher: ours and the bare calls take turns in the same processes on the same data, so that
// their ratio holds whatever else the machine does.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stowage::bench {

struct Candidate {
  std::string name;
  bool ours = false;          // else it is what ours is compared with
  std::function<void()> run;  // once; collective over the ranks of the bench
};

struct Repetitions {
  int warm_up = 3;
  int measured = 31;
};

// Runs each candidate `warm_up` + `measured` times in turn, the first of a turn changing. A time is that of `calls`
// runs in a row, from one barrier to the next, divided by `calls`; the longest of all ranks. Collective; the result,
// complete on rank 0, is an entry of Report: {"case", "bytes", "candidates": [{"name", "ours", "seconds": [...]}]}.
// `bytes` is what one run moves, all ranks together.
nlohmann::json compare(MPI_Comm comm, const std::string& name, std::uint64_t bytes,
                       const std::vector<Candidate>& candidates, Repetitions repetitions, int calls = 1);

// What bench/compare reads: {"bench", "ranks", "results": [...]}. Written by rank 0 to `file`, to standard output if
// that is empty. Throws STOWAGE_IO_ERROR.
void write_report(MPI_Comm comm, const std::string& bench, const nlohmann::json& results, const std::string& file);

}  // namespace stowage::bench
