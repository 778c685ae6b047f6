// SPDX-License-Identifier: Apache-2.0
// A folder of checkpoints reduced to one file.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/load.hpp"

namespace stowage::checkpoint {

struct Compacted {
  Generation base;                      // all that is left
  bool written = false;                 // else it was there
  std::vector<Generation> removed;      // oldest first
  std::vector<PassedOver> passed_over;  // of these, newer ones that were not valid
};

// Writes the newest valid generation as a base, unless it is one, proves that it can be loaded, and removes all others.
// Throws as Store and load() do, STOWAGE_STATE_ERROR if a job is writing to the folder among them, and
// STOWAGE_IO_ERROR if it holds no checkpoints; then everything is still there. Uses HDF5.
Compacted compact(const std::string& folder);

}  // namespace stowage::checkpoint
