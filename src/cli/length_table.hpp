// SPDX-License-Identifier: Apache-2.0
// Sequence lengths from a CSV file, and steps drawn from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stowage::cli {

// Lengths of one step, in drawn order. `tiles` is empty for text.
struct StepLengths {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> tiles;
};

struct LengthTable {
  std::vector<std::uint32_t> tokens;  // sum of the chosen columns, vision_tiles aside
  std::vector<std::uint32_t> tiles;   // column vision_tiles where it is chosen
};

// `spec` is FILE.csv:COLUMN[,COLUMN...]. The file's first line names its columns. Throws STOWAGE_INVALID_ARGUMENT for a
// malformed spec and an unknown column, STOWAGE_IO_ERROR for a file that cannot be read, STOWAGE_DATA_ERROR for a field
// that is not a whole number below 2^32, with its line.
LengthTable read_length_table(const std::string& spec);

// `steps` steps of `sequences` rows each, without repetition until every row has been drawn, in an order that depends
// on `seed` alone. With a cap, longer sequences become several: pieces of the cap and the rest (tiles stay with the
// first).
std::vector<StepLengths> draw_steps(const LengthTable& table, std::uint64_t sequences, std::uint64_t steps,
                                    std::uint32_t cap, std::uint64_t seed);

}  // namespace stowage::cli
