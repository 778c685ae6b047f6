// SPDX-License-Identifier: Apache-2.0
// A folder of checkpoint files, by their names alone: ckpt-00000012-step-600.base.h5,
// ckpt-00000013-step-650.difference.h5. A generation's number is one more than that of the last one written, whatever
// its step: a run that went back to an earlier step counts on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stowage::checkpoint {

enum class Kind : std::uint8_t { base, difference };

const char* name_of(Kind kind) noexcept;

struct Generation {
  std::uint64_t number = 0;
  std::uint64_t step = 0;
  Kind kind = Kind::base;
  std::string path;

  friend bool operator==(const Generation&, const Generation&) = default;
};

std::string path_of(const std::string& folder, std::uint64_t number, std::uint64_t step, Kind kind);

// All files of a folder whose names are those of checkpoints, oldest first. Throws STOWAGE_IO_ERROR if the folder
// cannot be read.
std::vector<Generation> generations_in(const std::string& folder);

// Files under temporary names that writers of checkpoints have left in a folder or are about to rename.
std::vector<std::string> temporaries_in(const std::string& folder);

// Removes a file that is not needed any more; whether it is gone. A failure is only logged.
bool remove_file(const std::string& path) noexcept;

// Removes generations, given oldest first, from the newest down to the first that cannot be removed, so that at no
// moment there is a difference without its base. Gives those removed, oldest first.
std::vector<Generation> remove_generations(std::vector<Generation> generations);

// Which of `generations`, oldest first, rotation removes. It keeps the newest `keep`, one more, the base that each of
// them needs with all between, and the newest base but one with all after it, so that damage to the newest base leaves
// something to fall back to.
std::span<const Generation> superfluous(std::span<const Generation> generations, std::uint64_t keep);

}  // namespace stowage::checkpoint
