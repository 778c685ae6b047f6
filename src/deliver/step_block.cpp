// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_block.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::deliver {
namespace {

constexpr std::uint32_t kMagic = 0x42575453;  // "STWB"

std::size_t aligned(std::size_t offset) {
  return round_up(offset, AlignedBuffer::kAlignment);
}

// Counts and offsets, from the beginning of a micro-batch, of its arrays in a block with that head, and where it ends.
struct Layout {
  std::size_t segments, inputs, targets, boundaries;  // entries
  std::size_t origin, tokens, labels, position_ids, loss_mask, cu_seqlens, cu_seqlens_padded, end;

  Layout(const MicroShape& shape, const BlockHead& head) {
    const std::size_t row = head.part.slice == Part::kWholeRow ? shape.length : shape.length / head.slices;
    segments = shape.segments;
    inputs = head.part.has(kInputs) ? row : 0;
    targets = head.part.has(kTargets) ? row : 0;
    boundaries = segments + 1;
    origin = 0;
    tokens = aligned(origin + segments * sizeof(stowage_segment));
    labels = aligned(tokens + inputs * sizeof(std::int64_t));
    position_ids = aligned(labels + targets * sizeof(std::int64_t));
    loss_mask = aligned(position_ids + inputs * sizeof(std::int64_t));
    cu_seqlens = aligned(loss_mask + targets * sizeof(float));
    cu_seqlens_padded = aligned(cu_seqlens + boundaries * sizeof(std::int32_t));
    end = aligned(cu_seqlens_padded + boundaries * sizeof(std::int32_t));
  }
};

std::size_t shapes_end(std::size_t micro_batches) {
  return aligned(sizeof(BlockHead) + micro_batches * sizeof(MicroShape));
}

// `Byte` is std::byte or const std::byte.
template <typename T, typename Byte>
auto array_at(std::span<Byte> bytes, std::size_t offset, std::size_t count) {
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  return std::span<Element>(reinterpret_cast<Element*>(bytes.data() + offset), count);
}

void zero(ByteSpan bytes, std::size_t begin, std::size_t end) {
  std::memset(bytes.data() + begin, 0, end - begin);
}

// Zeroes what lies between the end of each array of a micro-batch and the next.
void zero_gaps(ByteSpan bytes, const Layout& at) {
  zero(bytes, at.origin + at.segments * sizeof(stowage_segment), at.tokens);
  zero(bytes, at.tokens + at.inputs * sizeof(std::int64_t), at.labels);
  zero(bytes, at.labels + at.targets * sizeof(std::int64_t), at.position_ids);
  zero(bytes, at.position_ids + at.inputs * sizeof(std::int64_t), at.loss_mask);
  zero(bytes, at.loss_mask + at.targets * sizeof(float), at.cu_seqlens);
  zero(bytes, at.cu_seqlens + at.boundaries * sizeof(std::int32_t), at.cu_seqlens_padded);
  zero(bytes, at.cu_seqlens_padded + at.boundaries * sizeof(std::int32_t), at.end);
}

}  // namespace

StepBlock::StepBlock(BlockHead head, std::span<const MicroShape> shapes, const Allocate& allocate) : head_(head) {
  std::size_t end = shapes_end(shapes.size());
  for (const MicroShape& shape : shapes) {
    begin_.push_back(end);
    end += Layout(shape, head_).end;
  }
  head_.magic = kMagic;
  head_.bytes = end;
  head_.micro_batches = narrow<std::uint32_t>(shapes.size(), "micro-batches of a step");

  buffer_ = allocate(end);
  const ByteSpan bytes = buffer_.bytes();
  std::memcpy(bytes.data(), &head_, sizeof(head_));
  if (!shapes.empty()) std::memcpy(bytes.data() + sizeof(head_), shapes.data(), shapes.size_bytes());
  zero(bytes, sizeof(head_) + shapes.size_bytes(), shapes_end(shapes.size()));
  for (std::size_t m = 0; m < shapes.size(); ++m) zero_gaps(bytes.subspan(begin_[m]), Layout(shapes[m], head_));
}

MicroArrays StepBlock::micro_batch(std::size_t m) {
  MicroShape shape;
  std::memcpy(&shape, buffer_.bytes().data() + sizeof(BlockHead) + m * sizeof(MicroShape), sizeof(shape));
  const Layout at(shape, head_);
  const ByteSpan bytes = buffer_.bytes().subspan(begin_[m], at.end);
  return {array_at<stowage_segment>(bytes, at.origin, at.segments),
          array_at<std::int64_t>(bytes, at.tokens, at.inputs),
          array_at<std::int64_t>(bytes, at.labels, at.targets),
          array_at<std::int64_t>(bytes, at.position_ids, at.inputs),
          array_at<float>(bytes, at.loss_mask, at.targets),
          array_at<std::int32_t>(bytes, at.cu_seqlens, at.boundaries),
          array_at<std::int32_t>(bytes, at.cu_seqlens_padded, at.boundaries)};
}

StepView::StepView(AlignedBuffer block, const Part& part) : StepView(std::as_const(block).bytes(), part) {
  block_ = std::move(block);
}

StepView::StepView(ByteView bytes, const Part& part) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds)
      fail(STOWAGE_INTERNAL_ERROR, "a delivered step of {} bytes does not hold together: {}", bytes.size(), what);
  };
  require(bytes.size() >= sizeof(head_), "shorter than its head");
  std::memcpy(&head_, bytes.data(), sizeof(head_));
  require(head_.magic == kMagic, "wrong magic");
  require(head_.bytes == bytes.size(), "size differs from its head");
  require(head_.micro_batches <= (bytes.size() - sizeof(head_)) / sizeof(MicroShape), "micro-batch count past its end");
  const bool whole_row = part.slice == Part::kWholeRow;
  require(head_.slices >= 1 && (whole_row || part.slice < head_.slices), "rows in fewer slices than expected");
  require(head_.part.holds(part), "without the part that is wanted");

  const auto* shapes = reinterpret_cast<const MicroShape*>(bytes.data() + sizeof(head_));
  std::size_t begin = shapes_end(head_.micro_batches);
  micro_batches_.reserve(head_.micro_batches);
  for (std::size_t m = 0; m < head_.micro_batches; ++m) {
    const MicroShape& shape = shapes[m];
    require(shape.length % head_.slices == 0, "a length that is no multiple of its slices");
    const Layout at(shape, head_);
    require(begin <= bytes.size() && at.end <= bytes.size() - begin, "arrays past its end");
    const ByteView arrays = bytes.subspan(begin, at.end);
    const std::uint32_t local = whole_row ? shape.length : shape.length / head_.slices;
    const std::size_t skipped = whole_row || head_.part.slice == part.slice ? 0 : std::size_t{part.slice} * local;

    stowage_micro_batch& batch = micro_batches_.emplace_back();
    if (part.has(kInputs)) {
      batch.tokens = array_at<std::int64_t>(arrays, at.tokens, at.inputs).subspan(skipped, local).data();
      batch.position_ids = array_at<std::int64_t>(arrays, at.position_ids, at.inputs).subspan(skipped, local).data();
    }
    if (part.has(kTargets)) {
      batch.labels = array_at<std::int64_t>(arrays, at.labels, at.targets).subspan(skipped, local).data();
      batch.loss_mask = array_at<float>(arrays, at.loss_mask, at.targets).subspan(skipped, local).data();
    }
    batch.cu_seqlens = array_at<std::int32_t>(arrays, at.cu_seqlens, at.boundaries).data();
    batch.cu_seqlens_padded = array_at<std::int32_t>(arrays, at.cu_seqlens_padded, at.boundaries).data();
    batch.origin = array_at<stowage_segment>(arrays, at.origin, at.segments).data();
    batch.length = shape.length;
    batch.local_length = local;
    batch.segments = shape.segments;
    batch.tokens_real = shape.tokens_real;
    batch.max_seqlen = shape.max_seqlen;
    begin += at.end;
  }
  step_ = {head_.step,           head_.replica_tokens,   head_.global_tokens,   head_.replica_targets,
           head_.global_targets, head_.global_sequences, micro_batches_.data(), head_.micro_batches,
           head_.replica};
}

}  // namespace stowage::deliver
