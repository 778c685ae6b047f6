// SPDX-License-Identifier: Apache-2.0
// How `stowage ckpt` shows checkpoints.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/load.hpp"

namespace stowage::cli {

// One file of a folder.
struct CheckpointEntry {
  checkpoint::Generation generation;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> parent;  // the generation that it builds on, if it could be read
  std::string problem;                  // why it is not valid; empty if it is
};

// A table, a line an entry, why some are not valid below.
std::string to_text(const std::vector<CheckpointEntry>& entries);
nlohmann::ordered_json to_json(const std::vector<CheckpointEntry>& entries);

std::string to_text(const checkpoint::Loaded& loaded);
nlohmann::ordered_json to_json(const checkpoint::Loaded& loaded);

}  // namespace stowage::cli
