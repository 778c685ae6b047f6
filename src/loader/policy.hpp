// SPDX-License-Identifier: Apache-2.0
// What becomes of sequences that do not fit: the rules of over_long and zero_length, as pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "loader/catalogue.hpp"

namespace stowage::loader {

// True if the source takes no part in the run.
bool disabled(const config::Config& config, const config::Source& source) noexcept;

// The longest segment that, padded, fits a micro-batch.
std::uint64_t longest_segment(const config::MicroBatch& micro_batch) noexcept;

// A run of tokens of one sequence that is delivered as one segment.
struct Piece {
  std::uint64_t begin = 0;  // first token within the sequence
  std::uint32_t tokens = 0;
  std::uint32_t number = 0;
};

enum class Fate { whole, truncated, split, dropped_over_long, dropped_zero_length };

// Appends the pieces of a sequence of `tokens` tokens under the source's policies; none if it is dropped.
Fate cut(const config::Source& source, const config::MicroBatch& micro_batch, std::uint64_t tokens,
         std::vector<Piece>& pieces);

// Sequences of one epoch that will be delivered (not dropped by policy).
std::uint64_t deliverable(const config::Source& source, const SourceInfo& info) noexcept;

// Throws STOWAGE_DATA_ERROR if the source has over-long sequences and its policy is `error`.
void refuse_over_long(const config::Source& source, const SourceInfo& info, const config::MicroBatch& micro_batch);

// Adds a problem if the run cannot give every replica data: nothing to deliver, or fewer sequences than replicas.
void check_enough(const config::Config& config, const std::vector<SourceInfo>& sources,
                  std::vector<Catalogue::Problem>& problems);

}  // namespace stowage::loader
