// SPDX-License-Identifier: Apache-2.0
// Reading checkpoints back. Uses HDF5: call from the one thread of the process that does. Needs no lock: a job may be
// writing to the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/folder.hpp"

namespace stowage::checkpoint {

struct Wanted {
  enum class Which { newest, exactly, not_after };
  Which which = Which::newest;
  std::uint64_t step = 0;  // not for newest
};

struct PassedOver {
  Generation generation;
  std::string reason;
};

struct Loaded {
  Checkpoint checkpoint;
  Generation generation;
  std::vector<PassedOver> passed_over;  // newer ones that were wanted but are not valid, newest first
};

// The newest valid generation that is wanted; those passed over are also warned of in the log. Nothing if the folder is
// missing or holds no checkpoint files at all. Throws STOWAGE_DATA_ERROR with every reason if some are wanted but none
// of them is valid, STOWAGE_INVALID_ARGUMENT with the steps that are there if no file is of a step that is wanted.
std::optional<Loaded> load(const std::string& folder, const Wanted& wanted = {});

}  // namespace stowage::checkpoint
