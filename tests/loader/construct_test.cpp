// SPDX-License-Identifier: Apache-2.0
#include "loader/construct.hpp"

#include <numeric>

#include "support/errors.hpp"

namespace stowage::loader {
namespace {

// A batch of segments with u16 tokens 100 * segment + place, all for replica 0, in micro-batches as given.
class Construct : public testing::Test {
 protected:
  const stowage_step& make(const std::vector<std::vector<std::uint32_t>>& micro_batches, config::MicroBatch rule) {
    plan::Plan plan;
    plan.replica_begin = {0, static_cast<std::uint32_t>(micro_batches.size())};
    plan.micro_batch_begin = {0};
    for (const auto& lengths : micro_batches) {
      for (const std::uint32_t tokens : lengths) add_segment(tokens, plan);
      plan.micro_batch_begin.push_back(static_cast<std::uint32_t>(plan.order.size()));
    }
    batch_.sequences = batch_.segments.size();
    std::vector<RawTokens> raw;
    for (const auto& tokens : tokens_) raw.push_back({std::as_bytes(std::span(tokens)), source::TokenType::u16});
    view_.emplace(construct(batch_, plan, 0, rule, count_global(batch_), raw));
    return view_->step();
  }

  template <typename T>
  static std::vector<T> row(const T* array, std::size_t count) {
    return {array, array + count};
  }

 private:
  void add_segment(std::uint32_t tokens, plan::Plan& plan) {
    const auto s = static_cast<std::uint32_t>(batch_.segments.size());
    Segment& segment = batch_.segments.emplace_back();
    segment.draw.sequence = 40 + s;
    segment.piece.tokens = tokens;
    plan.order.push_back(s);
    std::vector<std::uint16_t> values(tokens);
    std::iota(values.begin(), values.end(), static_cast<std::uint16_t>(100 * s));
    tokens_.push_back(std::move(values));
  }

  StepBatch batch_;
  std::vector<std::vector<std::uint16_t>> tokens_;
  std::optional<deliver::StepView> view_;
};

TEST_F(Construct, PacksSegmentsOneAfterTheOther) {
  const stowage_micro_batch& batch = make({{3, 2}}, {.tokens = 8}).micro_batches[0];

  EXPECT_EQ(batch.length, 5U);
  EXPECT_EQ(row(batch.tokens, 5), (std::vector<std::int64_t>{0, 1, 2, 100, 101}));
  EXPECT_EQ(row(batch.labels, 5), (std::vector<std::int64_t>{1, 2, 0, 101, 0}));
  EXPECT_EQ(row(batch.loss_mask, 5), (std::vector<float>{1, 1, 0, 1, 0}));
  EXPECT_EQ(row(batch.position_ids, 5), (std::vector<std::int64_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(row(batch.cu_seqlens, 3), (std::vector<std::int32_t>{0, 3, 5}));
  EXPECT_EQ(row(batch.cu_seqlens_padded, 3), (std::vector<std::int32_t>{0, 3, 5}));
  EXPECT_EQ(batch.max_seqlen, 3);
  EXPECT_EQ(batch.origin[1].sequence, 41U);
}

TEST_F(Construct, PadsEachSegmentToItsMultipleAndTheRowToTheCap) {
  const config::MicroBatch rule{.tokens = 12, .pad_segments_to = 4, .pad_to_cap = true, .pad_token = 9};

  const stowage_micro_batch& batch = make({{3, 2}}, rule).micro_batches[0];

  EXPECT_EQ(row(batch.tokens, 12), (std::vector<std::int64_t>{0, 1, 2, 9, 100, 101, 9, 9, 9, 9, 9, 9}));
  EXPECT_EQ(row(batch.labels, 12), (std::vector<std::int64_t>{1, 2, 9, 9, 101, 9, 9, 9, 9, 9, 9, 9}));
  EXPECT_EQ(row(batch.loss_mask, 12), (std::vector<float>{1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row(batch.position_ids, 12), (std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(row(batch.cu_seqlens, 3), (std::vector<std::int32_t>{0, 3, 5}));
  EXPECT_EQ(row(batch.cu_seqlens_padded, 3), (std::vector<std::int32_t>{0, 4, 12}));
  EXPECT_EQ(batch.max_seqlen, 8);
}

TEST_F(Construct, MasksByPositionAlsoWhereARealTokenEqualsThePadToken) {
  const stowage_micro_batch& batch = make({{3}}, {.tokens = 8, .pad_token = 1}).micro_batches[0];

  EXPECT_EQ(row(batch.tokens, 3), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(row(batch.loss_mask, 3), (std::vector<float>{1, 1, 0}));
}

TEST_F(Construct, KeepsZeroLengthSegmentsAsEqualBoundaries) {
  const stowage_micro_batch& batch = make({{2, 0, 1}}, {.tokens = 8}).micro_batches[0];

  EXPECT_EQ(batch.segments, 3U);
  EXPECT_EQ(row(batch.cu_seqlens, 4), (std::vector<std::int32_t>{0, 2, 2, 3}));
  EXPECT_EQ(row(batch.loss_mask, 3), (std::vector<float>{1, 0, 0}));
}

TEST_F(Construct, NeverDeliversAnArrayOfSizeZero) {
  const stowage_step& step = make({{0}, {}}, {.tokens = 8, .pad_segments_to = 2});

  ASSERT_EQ(step.micro_batch_count, 2U);
  for (std::uint32_t m = 0; m < 2; ++m) {
    EXPECT_EQ(step.micro_batches[m].length, 2U);
    EXPECT_EQ(step.micro_batches[m].tokens_real, 0U);
    EXPECT_EQ(row(step.micro_batches[m].loss_mask, 2), (std::vector<float>{0, 0}));
  }
  EXPECT_EQ(step.micro_batches[0].segments, 1U);
  EXPECT_EQ(step.micro_batches[1].segments, 0U);
}

TEST_F(Construct, GivesAReplicaWithoutDataOneEmptyMicroBatch) {
  const stowage_step& step = make({}, {.tokens = 8});

  ASSERT_EQ(step.micro_batch_count, 1U);
  EXPECT_EQ(step.micro_batches[0].length, 1U);
  EXPECT_EQ(step.micro_batches[0].segments, 0U);
  EXPECT_EQ(step.micro_batches[0].max_seqlen, 1);
}

TEST_F(Construct, CountsTokensAndTargetsForLossScaling) {
  const stowage_step& step = make({{3, 0}, {1, 5}}, {.tokens = 8});

  EXPECT_EQ(step.replica_tokens, 9U);
  EXPECT_EQ(step.replica_targets, 2U + 0U + 0U + 4U);
  EXPECT_EQ(step.global_tokens, 9U);
  EXPECT_EQ(step.global_targets, 6U);
  EXPECT_EQ(step.global_sequences, 4U);
}

}  // namespace
}  // namespace stowage::loader
