// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_block.hpp"

#include <cstring>
#include <numeric>

#include "deliver/step_digest.hpp"
#include "support/errors.hpp"

namespace stowage::deliver {
namespace {

const std::vector<MicroShape> kShapes{{7, 2, 6, 4}, {1, 0, 0, 1}, {65, 1, 65, 65}};

// Every array filled with values that tell their place.
AlignedBuffer filled_block() {
  BlockHead head;
  head.step = 9;
  head.replica = 3;
  head.global_tokens = 100;
  StepBlock block(head, kShapes);
  for (std::size_t m = 0; m < kShapes.size(); ++m) {
    const MicroArrays arrays = block.micro_batch(m);
    std::iota(arrays.tokens.begin(), arrays.tokens.end(), static_cast<std::int64_t>(1000 * m));
    std::iota(arrays.labels.begin(), arrays.labels.end(), static_cast<std::int64_t>(1000 * m + 100));
    std::iota(arrays.position_ids.begin(), arrays.position_ids.end(), static_cast<std::int64_t>(1000 * m + 200));
    std::iota(arrays.loss_mask.begin(), arrays.loss_mask.end(), static_cast<float>(m));
    std::iota(arrays.cu_seqlens.begin(), arrays.cu_seqlens.end(), static_cast<std::int32_t>(m));
    std::iota(arrays.cu_seqlens_padded.begin(), arrays.cu_seqlens_padded.end(), static_cast<std::int32_t>(m + 50));
    for (stowage_segment& origin : arrays.origin) origin.sequence = 77;
  }
  return std::move(block).take();
}

TEST(StepBlock, ShowsTheArraysThatWereWritten) {
  const StepView view(filled_block());

  const stowage_step& step = view.step();
  EXPECT_EQ(step.step, 9U);
  EXPECT_EQ(step.replica, 3U);
  EXPECT_EQ(step.global_tokens, 100U);
  ASSERT_EQ(step.micro_batch_count, 3U);
  const stowage_micro_batch& last = step.micro_batches[2];
  EXPECT_EQ(last.length, 65U);
  EXPECT_EQ(last.tokens[64], 2064);
  EXPECT_EQ(last.labels[64], 2164);
  EXPECT_EQ(last.position_ids[64], 2264);
  EXPECT_EQ(last.loss_mask[64], 66.0F);
  EXPECT_EQ(last.cu_seqlens[1], 3);
  EXPECT_EQ(last.cu_seqlens_padded[1], 53);
  EXPECT_EQ(last.origin[0].sequence, 77U);
}

TEST(StepBlock, AlignsEveryArrayToACacheLine) {
  const StepView view(filled_block());

  for (std::uint32_t m = 0; m < view.step().micro_batch_count; ++m) {
    const stowage_micro_batch& batch = view.step().micro_batches[m];
    for (const void* array : {static_cast<const void*>(batch.tokens), static_cast<const void*>(batch.labels),
                              static_cast<const void*>(batch.loss_mask), static_cast<const void*>(batch.position_ids),
                              static_cast<const void*>(batch.cu_seqlens)}) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % AlignedBuffer::kAlignment, 0U);
    }
  }
}

TEST(StepBlock, RefusesABlockThatDoesNotHoldTogether) {
  const AlignedBuffer good = filled_block();
  const auto altered = [&](std::size_t size, auto&& change) {
    AlignedBuffer block(size);
    std::memcpy(block.bytes().data(), good.bytes().data(), size);
    change(block.bytes());
    return block;
  };
  const auto nothing = [](ByteSpan) {};

  EXPECT_ERROR(StepView(altered(8, nothing)), STOWAGE_INTERNAL_ERROR, "shorter than its head");
  EXPECT_ERROR(StepView(altered(good.size() - 64, nothing)), STOWAGE_INTERNAL_ERROR, "size differs");
  EXPECT_ERROR(StepView(altered(good.size(), [](ByteSpan b) { b[0] ^= std::byte{1}; })), STOWAGE_INTERNAL_ERROR,
               "wrong magic");
  EXPECT_ERROR(StepView(altered(good.size(), [](ByteSpan b) { b[7] = std::byte{0x7f}; })), STOWAGE_INTERNAL_ERROR,
               "micro-batch count");
  EXPECT_ERROR(StepView(altered(good.size(), [](ByteSpan b) { b[sizeof(BlockHead) + 2] = std::byte{0x7f}; })),
               STOWAGE_INTERNAL_ERROR, "arrays past its end");
}

TEST(StepDigest, ChangesWithEveryArrayAndField) {
  const StepView original(filled_block());
  const Digest digest = step_digest(original.step());
  const std::size_t bytes = original.step().micro_batches[0].length;

  EXPECT_EQ(step_digest(StepView(filled_block()).step()), digest);
  const auto differs_after = [&](auto&& change) {
    StepView view(filled_block());
    change(view.step().micro_batches[0]);
    return step_digest(view.step()) != digest;
  };
  const std::size_t at = bytes - 1;
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<std::int64_t*>(b.tokens)[at] += 1; }));
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<std::int64_t*>(b.labels)[at] += 1; }));
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<std::int64_t*>(b.position_ids)[at] += 1; }));
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<float*>(b.loss_mask)[at] += 1; }));
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<std::int32_t*>(b.cu_seqlens)[2] += 1; }));
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<std::int32_t*>(b.cu_seqlens_padded)[2] += 1; }));
  EXPECT_TRUE(differs_after([&](const auto& b) { const_cast<stowage_segment*>(b.origin)[1].epoch += 1; }));
}

}  // namespace
}  // namespace stowage::deliver
