// SPDX-License-Identifier: Apache-2.0
// What a trainer gets of its replica's steps, by its place among the replica's ranks. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace stowage::deliver {

// Where a trainer stands among the tensor, context and pipeline parallel ranks of its replica.
struct Coordinates {
  struct Axis {
    std::int32_t rank = 0;
    std::int32_t size = 1;
  };
  Axis tensor;
  Axis context;
  Axis pipeline;
};

// The rows of a micro-batch, as pipeline stages need them.
enum Rows : std::uint32_t {
  kNoRows = 0,
  kInputs = 1,   // tokens, position_ids
  kTargets = 2,  // labels, loss_mask
  kAllRows = kInputs | kTargets
};

// Of every micro-batch. Boundaries, counts and origin belong to every part.
struct Part {
  static constexpr std::uint32_t kWholeRow = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t slice = kWholeRow;  // of each row, by context parallel rank (slices.hpp)
  std::uint32_t rows = kAllRows;

  bool has(Rows which) const noexcept { return (rows & which) == which; }
  bool holds(const Part& other) const noexcept {
    return (slice == kWholeRow || slice == other.slice) && (other.rows & ~rows) == 0;
  }
  bool operator==(const Part&) const = default;
};

// What is wrong with them, in words that name the field of stowage_trainer_options; nothing if each rank is in [0,
// size) and the context parallel size is the configuration's.
std::optional<std::string> problem_of(const Coordinates& coordinates, std::uint32_t context_parallel);

// Of coordinates without a problem.
Part part_of(const Coordinates& coordinates) noexcept;

}  // namespace stowage::deliver
