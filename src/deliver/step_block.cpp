// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_block.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::deliver {
namespace {

constexpr std::uint32_t kMagic = 0x42575453;  // "STWB"

std::size_t aligned(std::size_t offset) { return round_up(offset, AlignedBuffer::kAlignment); }

// Offsets of the arrays of one micro-batch from its beginning, and where it ends.
struct Layout {
  std::size_t origin, tokens, labels, position_ids, loss_mask, cu_seqlens, cu_seqlens_padded, end;

  explicit Layout(const MicroShape& shape) {
    const std::size_t length = shape.length;
    const std::size_t boundaries = std::size_t{shape.segments} + 1;
    origin = 0;
    tokens = aligned(origin + shape.segments * sizeof(stowage_segment));
    labels = aligned(tokens + length * sizeof(std::int64_t));
    position_ids = aligned(labels + length * sizeof(std::int64_t));
    loss_mask = aligned(position_ids + length * sizeof(std::int64_t));
    cu_seqlens = aligned(loss_mask + length * sizeof(float));
    cu_seqlens_padded = aligned(cu_seqlens + boundaries * sizeof(std::int32_t));
    end = aligned(cu_seqlens_padded + boundaries * sizeof(std::int32_t));
  }
};

std::size_t shapes_end(std::size_t micro_batches) {
  return aligned(sizeof(BlockHead) + micro_batches * sizeof(MicroShape));
}

template <typename T>
std::span<T> array_at(ByteSpan bytes, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<T*>(bytes.data() + offset), count};
}

// The arrays of a micro-batch that begins at `begin` of a block.
MicroArrays arrays_at(ByteSpan block, std::size_t begin, const MicroShape& shape) {
  const Layout at(shape);
  const std::size_t boundaries = std::size_t{shape.segments} + 1;
  const ByteSpan bytes = block.subspan(begin, at.end);
  return {array_at<stowage_segment>(bytes, at.origin, shape.segments),
          array_at<std::int64_t>(bytes, at.tokens, shape.length),
          array_at<std::int64_t>(bytes, at.labels, shape.length),
          array_at<std::int64_t>(bytes, at.position_ids, shape.length),
          array_at<float>(bytes, at.loss_mask, shape.length),
          array_at<std::int32_t>(bytes, at.cu_seqlens, boundaries),
          array_at<std::int32_t>(bytes, at.cu_seqlens_padded, boundaries)};
}

}  // namespace

StepBlock::StepBlock(BlockHead head, std::span<const MicroShape> shapes) {
  std::size_t end = shapes_end(shapes.size());
  for (const MicroShape& shape : shapes) {
    begin_.push_back(end);
    end += Layout(shape).end;
  }
  head.magic = kMagic;
  head.bytes = end;
  head.micro_batches = narrow<std::uint32_t>(shapes.size(), "micro-batches of a step");

  buffer_ = AlignedBuffer(end);
  std::memset(buffer_.bytes().data(), 0, end);
  std::memcpy(buffer_.bytes().data(), &head, sizeof(head));
  if (!shapes.empty()) std::memcpy(buffer_.bytes().data() + sizeof(head), shapes.data(), shapes.size_bytes());
}

MicroArrays StepBlock::micro_batch(std::size_t m) {
  MicroShape shape;
  std::memcpy(&shape, buffer_.bytes().data() + sizeof(BlockHead) + m * sizeof(MicroShape), sizeof(shape));
  return arrays_at(buffer_.bytes(), begin_[m], shape);
}

StepView::StepView(AlignedBuffer block) : block_(std::move(block)) {
  const ByteSpan bytes = block_.bytes();
  BlockHead head;
  const auto require = [&](bool holds, const char* what) {
    if (!holds) fail(STOWAGE_INTERNAL_ERROR, "a delivered step of {} bytes does not hold together: {}", bytes.size(), what);
  };
  require(bytes.size() >= sizeof(head), "shorter than its head");
  std::memcpy(&head, bytes.data(), sizeof(head));
  require(head.magic == kMagic, "wrong magic");
  require(head.bytes == bytes.size(), "size differs from its head");
  require(head.micro_batches <= (bytes.size() - sizeof(head)) / sizeof(MicroShape), "micro-batch count past its end");

  const auto* shapes = reinterpret_cast<const MicroShape*>(bytes.data() + sizeof(head));
  std::size_t begin = shapes_end(head.micro_batches);
  for (std::size_t m = 0; m < head.micro_batches; ++m) {
    const MicroShape& shape = shapes[m];
    const std::size_t size = Layout(shape).end;
    require(begin <= bytes.size() && size <= bytes.size() - begin, "arrays past its end");
    const MicroArrays arrays = arrays_at(bytes, begin, shape);
    micro_batches_.push_back({arrays.tokens.data(), arrays.labels.data(), arrays.loss_mask.data(),
                              arrays.position_ids.data(), arrays.cu_seqlens.data(), arrays.cu_seqlens_padded.data(),
                              arrays.origin.data(), shape.length, shape.segments, shape.tokens_real, shape.max_seqlen});
    begin += size;
  }
  step_ = {head.step,           head.replica_tokens,   head.global_tokens,    head.replica_targets,
           head.global_targets, head.global_sequences, micro_batches_.data(), head.micro_batches,
           head.replica};
}

}  // namespace stowage::deliver
