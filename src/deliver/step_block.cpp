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

// `Byte` is std::byte or const std::byte.
template <typename T, typename Byte>
auto array_at(std::span<Byte> bytes, std::size_t offset, std::size_t count) {
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  return std::span<Element>(reinterpret_cast<Element*>(bytes.data() + offset), count);
}

void zero(ByteSpan bytes, std::size_t begin, std::size_t end) { std::memset(bytes.data() + begin, 0, end - begin); }

// Zeroes what lies between the end of each array of a micro-batch and the next.
void zero_gaps(ByteSpan bytes, const MicroShape& shape) {
  const Layout at(shape);
  const std::size_t length = shape.length;
  const std::size_t boundaries = (std::size_t{shape.segments} + 1) * sizeof(std::int32_t);
  zero(bytes, at.origin + shape.segments * sizeof(stowage_segment), at.tokens);
  zero(bytes, at.tokens + length * sizeof(std::int64_t), at.labels);
  zero(bytes, at.labels + length * sizeof(std::int64_t), at.position_ids);
  zero(bytes, at.position_ids + length * sizeof(std::int64_t), at.loss_mask);
  zero(bytes, at.loss_mask + length * sizeof(float), at.cu_seqlens);
  zero(bytes, at.cu_seqlens + boundaries, at.cu_seqlens_padded);
  zero(bytes, at.cu_seqlens_padded + boundaries, at.end);
}

}  // namespace

StepBlock::StepBlock(BlockHead head, std::span<const MicroShape> shapes, const Allocate& allocate) {
  std::size_t end = shapes_end(shapes.size());
  for (const MicroShape& shape : shapes) {
    begin_.push_back(end);
    end += Layout(shape).end;
  }
  head.magic = kMagic;
  head.bytes = end;
  head.micro_batches = narrow<std::uint32_t>(shapes.size(), "micro-batches of a step");

  buffer_ = allocate(end);
  const ByteSpan bytes = buffer_.bytes();
  std::memcpy(bytes.data(), &head, sizeof(head));
  if (!shapes.empty()) std::memcpy(bytes.data() + sizeof(head), shapes.data(), shapes.size_bytes());
  zero(bytes, sizeof(head) + shapes.size_bytes(), shapes_end(shapes.size()));
  for (std::size_t m = 0; m < shapes.size(); ++m) zero_gaps(bytes.subspan(begin_[m]), shapes[m]);
}

MicroArrays StepBlock::micro_batch(std::size_t m) {
  MicroShape shape;
  std::memcpy(&shape, buffer_.bytes().data() + sizeof(BlockHead) + m * sizeof(MicroShape), sizeof(shape));
  const Layout at(shape);
  const std::size_t boundaries = std::size_t{shape.segments} + 1;
  const ByteSpan bytes = buffer_.bytes().subspan(begin_[m], at.end);
  return {array_at<stowage_segment>(bytes, at.origin, shape.segments),
          array_at<std::int64_t>(bytes, at.tokens, shape.length),
          array_at<std::int64_t>(bytes, at.labels, shape.length),
          array_at<std::int64_t>(bytes, at.position_ids, shape.length),
          array_at<float>(bytes, at.loss_mask, shape.length),
          array_at<std::int32_t>(bytes, at.cu_seqlens, boundaries),
          array_at<std::int32_t>(bytes, at.cu_seqlens_padded, boundaries)};
}

StepView::StepView(AlignedBuffer block) : StepView(std::as_const(block).bytes()) { block_ = std::move(block); }

StepView::StepView(ByteView bytes) {
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
  micro_batches_.reserve(head.micro_batches);
  for (std::size_t m = 0; m < head.micro_batches; ++m) {
    const MicroShape& shape = shapes[m];
    const Layout at(shape);
    require(begin <= bytes.size() && at.end <= bytes.size() - begin, "arrays past its end");
    const ByteView arrays = bytes.subspan(begin, at.end);
    const std::size_t boundaries = std::size_t{shape.segments} + 1;
    micro_batches_.push_back({array_at<std::int64_t>(arrays, at.tokens, shape.length).data(),
                              array_at<std::int64_t>(arrays, at.labels, shape.length).data(),
                              array_at<float>(arrays, at.loss_mask, shape.length).data(),
                              array_at<std::int64_t>(arrays, at.position_ids, shape.length).data(),
                              array_at<std::int32_t>(arrays, at.cu_seqlens, boundaries).data(),
                              array_at<std::int32_t>(arrays, at.cu_seqlens_padded, boundaries).data(),
                              array_at<stowage_segment>(arrays, at.origin, shape.segments).data(), shape.length,
                              shape.segments, shape.tokens_real, shape.max_seqlen});
    begin += at.end;
  }
  step_ = {head.step,           head.replica_tokens,   head.global_tokens,    head.replica_targets,
           head.global_targets, head.global_sequences, micro_batches_.data(), head.micro_batches,
           head.replica};
}

}  // namespace stowage::deliver
