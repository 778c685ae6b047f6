// SPDX-License-Identifier: Apache-2.0
// The form in which a step of one replica is built, sent and used: one contiguous block without pointers, so that it
// can be copied, put into shared memory, and read where it lies. All ranks of a job run the same build; the block is
// never stored.
//
//   BlockHead | MicroShape[micro_batches] | for each micro-batch, each array on a 64-byte boundary:
//   origin[segments] tokens[row] labels[row] position_ids[row] loss_mask[row] cu_seqlens[segments + 1]
//   cu_seqlens_padded[segments + 1]
//
// A block holds whole rows, in slice order (slices.hpp), or a part: one slice of them (row = length / slices), not all
// four arrays. What it does not hold takes no bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deliver/aligned_buffer.hpp"
#include "deliver/part.hpp"
#include "stowage.h"

namespace stowage::deliver {

struct BlockHead {
  std::uint32_t magic = 0;
  std::uint32_t micro_batches = 0;
  std::uint64_t bytes = 0;  // of the whole block
  std::uint64_t step = 0;
  std::uint64_t replica_tokens = 0;
  std::uint64_t global_tokens = 0;
  std::uint64_t replica_targets = 0;
  std::uint64_t global_targets = 0;
  std::uint64_t global_sequences = 0;
  std::uint32_t replica = 0;
  std::uint32_t slices = 1;  // of each row; every length is a multiple of it
  Part part;                 // that is held
};

struct MicroShape {
  std::uint32_t length = 0;  // of the whole row
  std::uint32_t segments = 0;
  std::uint32_t tokens_real = 0;
  std::int32_t max_seqlen = 0;
};

// The arrays of one micro-batch inside a block that is being built; empty those that it does not hold.
struct MicroArrays {
  std::span<stowage_segment> origin;
  std::span<std::int64_t> tokens;
  std::span<std::int64_t> labels;
  std::span<std::int64_t> position_ids;
  std::span<float> loss_mask;
  std::span<std::int32_t> cu_seqlens;
  std::span<std::int32_t> cu_seqlens_padded;
};

// A block with its head and shapes written and its arrays still unset. head.magic, bytes and micro_batches are filled
// in here. The bytes between arrays are zero. The block is built where it will stay: in the memory that `allocate`
// gives.
class StepBlock {
 public:
  StepBlock(BlockHead head, std::span<const MicroShape> shapes, const Allocate& allocate = from_heap);

  MicroArrays micro_batch(std::size_t m);
  ByteView bytes() const noexcept { return buffer_.bytes(); }
  AlignedBuffer take() && noexcept { return std::move(buffer_); }

 private:
  AlignedBuffer buffer_;
  BlockHead head_;
  std::vector<std::size_t> begin_;  // of each micro-batch
};

// A part of a received block as the C API shows it, without a copy: pointers into the block.
class StepView {
 public:
  // Both throw STOWAGE_INTERNAL_ERROR if the block does not hold together (wrong magic, size or counts) or does not
  // hold the part.
  explicit StepView(AlignedBuffer block, const Part& part = {});  // owns the bytes
  explicit StepView(ByteView block, const Part& part = {});       // borrows them

  const stowage_step& step() const noexcept { return step_; }
  const BlockHead& head() const noexcept { return head_; }

 private:
  AlignedBuffer block_;  // empty if borrowed
  BlockHead head_;
  std::vector<stowage_micro_batch> micro_batches_;
  stowage_step step_{};
};

}  // namespace stowage::deliver
