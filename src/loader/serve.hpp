// SPDX-License-Identifier: Apache-2.0
// What a loader rank does from start-up to the end of the run.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/ledger.hpp"
#include "loader/resume.hpp"
#include "loader/statistics.hpp"

namespace stowage::loader {

struct ServeOptions {
  std::string config_path;                   // needed on the first loader rank; the others get the text from it
  double startup_seconds = 300.0;            // longest wait for the job's ranks
  Resume resume;                             // of the first loader rank; the directory is the configuration's
  const std::atomic<bool>* ended = nullptr;  // set from outside, in a signal handler too: the run ends, saved
  // Called on the first loader rank after each step with the steps made and the steps of the run (0 = not known).
  std::function<void(std::uint64_t, std::uint64_t)> on_step;
};

struct ServedSource {
  std::string name;
  std::uint64_t sequences = 0;  // in one epoch
  double share_asked = 0;       // of draws, as the weights say
  checkpoint::SourceCount count;
};

// Of the whole job; complete on the first loader rank.
struct ServeSummary {
  bool first_rank = false;
  double seconds = 0;  // from the first step asked for to the last trainer's leaving
  PlanStatistics plan;
  RankStatistics ranks;
  std::vector<ServedSource> sources;
  checkpoint::IteratorState committed;
  int loaders = 0;  // that are left
  int lost = 0;
  int trainers = 0;
};

// Collective over `world`, the trainers taking part through stowage_trainer_create; MPI must be initialised. Returns
// when every trainer has left. Throws, on every loader rank alike, after the trainers were told; *report_here is then
// true on the rank that should show the message: the first one, or whoever waited in vain for another rank, because the
// first one may be out of reach.
ServeSummary serve(MPI_Comm world, const ServeOptions& options, bool* report_here);

}  // namespace stowage::loader
