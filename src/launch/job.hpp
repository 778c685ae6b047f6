// SPDX-License-Identifier: Apache-2.0
// One job from the start of its launcher to the last trace of it.
#pragma once

#include <string>
#include <vector>

#include "launch/launcher.hpp"
#include "launch/results.hpp"

namespace stowage::launch {

struct JobOptions {
  Launcher launcher = Launcher::mpirun;
  std::vector<std::string> words;  // the launcher and all its words
  double grace_seconds = 30.0;     // see run_job()
};

// Runs the job and returns its true status:
// - 0 if every trainer ended with 0, whatever became of loaders; otherwise the status of the first trainer that is seen
// to
//   have failed, which ends the job at once; after STOWAGE_PREEMPTED the others get grace_seconds. Ranks that are no
//   loaders (`stowage serve`) count as trainers; in a job of loaders only, loaders do.
// - The launcher's own, or 1, if not all ranks came to start their program.
// A launcher that still runs grace_seconds after the last trainer has ended, or five seconds after the last rank has,
// gets SIGTERM and after as long again SIGKILL; so does one of which only some ranks came, when those have ended.
// SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 that this process gets are passed on to the program of each
// rank. Messages go to standard error.
int run_job(const JobOptions& options, const Results& results);

}  // namespace stowage::launch
