// SPDX-License-Identifier: Apache-2.0
// The data constructor: packs the segments of one replica into the arrays that a trainer gets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deliver/step_block.hpp"
#include "loader/step_stream.hpp"
#include "plan/plan.hpp"

namespace stowage::loader {

// The raw tokens of one segment, as they lie in the file.
struct RawTokens {
  ByteView bytes;
  source::TokenType type = source::TokenType::u16;
};

// What a global batch is as a whole; the same on every rank.
struct GlobalCounts {
  std::uint64_t tokens = 0;
  std::uint64_t targets = 0;  // positions with a label: every token of a segment but its last
  std::uint64_t sequences = 0;
};

GlobalCounts count_global(const StepBatch& batch);

// The shape of the micro-batch that holds these segments (indices into batch.segments), in this order.
deliver::MicroShape micro_batch_shape(const StepBatch& batch, std::span<const std::uint32_t> segments,
                                      const config::MicroBatch& micro_batch);

// The step block of `replica`, built in the memory that `allocate` gives: whole rows, in slice order
// (deliver/slices.hpp). `raw` holds the tokens of this replica's segments, in the order in which the plan names them.
// Pure; works on the micro-batches with OpenMP threads, whose number does not influence the result.
deliver::AlignedBuffer construct(const StepBatch& batch, const plan::Plan& plan, std::uint32_t replica,
                                 const config::MicroBatch& micro_batch, const GlobalCounts& global,
                                 std::span<const RawTokens> raw,
                                 const deliver::Allocate& allocate = deliver::from_heap);

}  // namespace stowage::loader
