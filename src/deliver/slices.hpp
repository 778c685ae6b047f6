// SPDX-License-Identifier: Apache-2.0
// The order of a row's entries under context parallelism of degree C, in which each rank's part is contiguous.
//
// Every segment's extent is a multiple of 2 C and falls into 2 C equal chunks. Slice r holds, of every segment in
// order, the chunks r and 2 C - 1 - r, so that causal attention costs every rank the same; a row is its slices 0 ... C
// - 1, one after the other. For C = 1 that is the plain order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stowage::deliver {

// Calls visit(first, place, count) for every run of positions [first, first + count) of a segment that lies in one
// piece at [place, place + count) of the row, in the order of positions. The segment takes [begin, begin + extent) of
// the row of `length` entries in plain order.
template <typename Visit>
void for_each_run(std::size_t begin, std::size_t extent, std::size_t length, std::uint32_t slices, Visit&& visit) {
  if (slices == 1) {
    visit(std::size_t{0}, begin, extent);
    return;
  }
  const std::size_t chunks = std::size_t{2} * slices;
  const std::size_t count = extent / chunks;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const bool mirrored = chunk >= slices;
    const std::size_t slice = mirrored ? chunks - 1 - chunk : chunk;
    visit(chunk * count, slice * (length / slices) + begin / slices + (mirrored ? count : 0), count);
  }
}

}  // namespace stowage::deliver
