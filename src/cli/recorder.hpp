// SPDX-License-Identifier: Apache-2.0
// What the stand-in trainer writes down of every step, for digests and for independent checkers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpi/wait.hpp"
#include "stowage.h"

namespace stowage::cli {

// Lines gathered while running, brought together at the end.
class Recorder {
 public:
  // Files to write; empty = not wanted. with_tokens: segments carry their token ids too.
  Recorder(std::string digests, std::string segments, bool with_tokens);

  void add(const stowage_step& step);

  // Writes the files on the first rank of `trainers`, or here if that is MPI_COMM_NULL; lines sorted by step and
  // replica. Of several trainers of one `replica` the first one's record is taken. Collective over `trainers`; throws
  // what `idle` throws, which is called while it waits for the others.
  //   digests:  step replica digest
  //   segments: a header line, then step replica micro_batch source_index sequence epoch piece begin tokens [: ids]
  void write(MPI_Comm trainers, std::uint32_t replica, const mpi::Idle& idle);

 private:
  std::string digests_file_;
  std::string segments_file_;
  bool with_tokens_;
  std::string digests_;
  std::string segments_;
};

}  // namespace stowage::cli
