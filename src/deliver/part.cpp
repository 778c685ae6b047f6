// SPDX-License-Identifier: Apache-2.0
#include "deliver/part.hpp"

#include <fmt/format.h>

#include <utility>

namespace stowage::deliver {

std::optional<std::string> problem_of(const Coordinates& coordinates, std::uint32_t context_parallel) {
  const std::pair<const char*, Coordinates::Axis> axes[] = {
      {"tensor", coordinates.tensor}, {"context", coordinates.context}, {"pipeline", coordinates.pipeline}};
  for (const auto& [name, axis] : axes) {
    if (axis.size < 1) return fmt::format("{}_parallel_size must be >= 1, got {}", name, axis.size);
    if (axis.rank < 0 || axis.rank >= axis.size) {
      return fmt::format("{}_parallel_rank must be in [0, {}), got {}", name, axis.size, axis.rank);
    }
  }
  if (std::cmp_not_equal(coordinates.context.size, context_parallel)) {
    return fmt::format("context_parallel_size must be {}, as the configuration says (context_parallel), got {}",
                       context_parallel, coordinates.context.size);
  }
  return std::nullopt;
}

Part part_of(const Coordinates& coordinates) noexcept {
  Part part;
  if (coordinates.context.size > 1) part.slice = static_cast<std::uint32_t>(coordinates.context.rank);
  const bool first = coordinates.pipeline.rank == 0;
  const bool last = coordinates.pipeline.rank == coordinates.pipeline.size - 1;
  part.rows = (first ? kInputs : kNoRows) | (last ? kTargets : kNoRows);
  return part;
}

}  // namespace stowage::deliver
