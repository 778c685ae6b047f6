// SPDX-License-Identifier: Apache-2.0
// How many OpenMP threads a rank works with.
#pragma once

#include <vector>

namespace stowage::loader {

// Sets the threads of this process's parallel loops: as OMP_NUM_THREADS says, else this rank's share of the cores that
// it may use, so that ranks which share cores do not wait for each other's threads. `nodes` [ranks] is the node of each
// rank of the job, `me` this rank. For processes that are loader ranks; a trainer's own settings are never touched.
void share_cores(const std::vector<int>& nodes, int me);

}  // namespace stowage::loader
