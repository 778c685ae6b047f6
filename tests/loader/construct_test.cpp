// SPDX-License-Identifier: Apache-2.0
#include "loader/construct.hpp"

#include <rapidcheck.h>

#include <numeric>

#include "deliver/step_digest.hpp"
#include "support/errors.hpp"

namespace stowage::loader {
namespace {

// A batch of segments with u16 tokens 100 * segment + place, all for replica 0, in micro-batches as given.
class Built {
 public:
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

  const stowage_step& step() const { return view_->step(); }

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

class Construct : public testing::Test, protected Built {};

template <typename T>
std::vector<T> row(const T* array, std::size_t count) {
  return {array, array + count};
}

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

// Chunks of 2: segment 0 (5 tokens in 8) is |0 1|2 3|4 .|. .|, segment 1 (3 in 4) is |100|101|102|.|.
TEST_F(Construct, PutsRowsInSliceOrderForTwoContextParallelRanks) {
  const config::MicroBatch rule{.tokens = 16, .context_parallel = 2, .pad_segments_to = 4, .pad_token = 9};

  const stowage_micro_batch& batch = make({{5, 3}}, rule).micro_batches[0];

  EXPECT_EQ(batch.length, 12U);
  EXPECT_EQ(row(batch.tokens, 12), (std::vector<std::int64_t>{0, 1, 9, 9, 100, 9,  //
                                                              2, 3, 4, 9, 101, 102}));
  EXPECT_EQ(row(batch.labels, 12), (std::vector<std::int64_t>{1, 2, 9, 9, 101, 9,  //
                                                              3, 4, 9, 9, 102, 9}));
  EXPECT_EQ(row(batch.loss_mask, 12), (std::vector<float>{1, 1, 0, 0, 1, 0,  //
                                                          1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(row(batch.position_ids, 12), (std::vector<std::int64_t>{0, 1, 6, 7, 0, 3,  //
                                                                    2, 3, 4, 5, 1, 2}));
  EXPECT_EQ(row(batch.cu_seqlens, 3), (std::vector<std::int32_t>{0, 5, 8}));
  EXPECT_EQ(row(batch.cu_seqlens_padded, 3), (std::vector<std::int32_t>{0, 8, 12}));
  EXPECT_EQ(batch.max_seqlen, 8);
}

TEST_F(Construct, PutsRowsInSliceOrderForThreeContextParallelRanks) {
  const config::MicroBatch rule{.tokens = 18, .context_parallel = 3, .pad_segments_to = 6, .pad_to_cap = true};

  const stowage_micro_batch& batch = make({{6, 7}}, rule).micro_batches[0];  // 7 tokens in 12: chunks of 2

  EXPECT_EQ(row(batch.position_ids, 18), (std::vector<std::int64_t>{0, 5, 0, 1, 10, 11,  //
                                                                    1, 4, 2, 3, 8, 9,    //
                                                                    2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(row(batch.tokens, 18), (std::vector<std::int64_t>{0, 5, 100, 101, 0, 0,  //
                                                              1, 4, 102, 103, 0, 0,  //
                                                              2, 3, 104, 105, 106, 0}));
  EXPECT_EQ(row(batch.labels, 18), (std::vector<std::int64_t>{1, 0, 101, 102, 0, 0,  //
                                                              2, 5, 103, 104, 0, 0,  //
                                                              3, 4, 105, 106, 0, 0}));
}

TEST_F(Construct, CutsARowWithoutSegmentsAsAWhole) {
  const stowage_micro_batch& batch =
      make({}, {.tokens = 8, .context_parallel = 2, .pad_segments_to = 4}).micro_batches[0];

  EXPECT_EQ(row(batch.position_ids, 4), (std::vector<std::int64_t>{0, 3, 1, 2}));
  EXPECT_EQ(row(batch.loss_mask, 4), (std::vector<float>{0, 0, 0, 0}));
}

// The i-th of `slices` slices of a plain row, taken chunk by chunk.
template <typename T>
std::vector<T> slice_of(const std::vector<T>& row, const stowage_micro_batch& batch, std::uint32_t slices,
                        std::uint32_t i) {
  std::vector<T> slice;
  for (std::uint32_t s = 0; s < batch.segments; ++s) {
    const auto begin = static_cast<std::size_t>(batch.cu_seqlens_padded[s]);
    const std::size_t chunk = (static_cast<std::size_t>(batch.cu_seqlens_padded[s + 1]) - begin) / (2 * slices);
    for (const std::uint32_t c : {i, 2 * slices - 1 - i}) {
      for (std::size_t k = 0; k < chunk; ++k) slice.push_back(row[begin + c * chunk + k]);
    }
  }
  return slice;
}

TEST(ConstructProperty, SlicesPutTogetherAgainGiveThePlainRow) {
  rc::check([] {
    const auto slices = *rc::gen::inRange<std::uint32_t>(2, 6);
    const auto multiple = 2 * slices * *rc::gen::inRange<std::uint32_t>(1, 4);
    const auto lengths =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 60)));
    const bool to_cap = *rc::gen::arbitrary<bool>();
    config::MicroBatch rule{.tokens = 0, .pad_segments_to = multiple, .pad_to_cap = to_cap, .pad_token = 5};
    for (const std::uint32_t tokens : lengths) rule.tokens += (tokens / multiple + 1) * multiple;
    Built plain_row;
    Built cut_row;

    const stowage_micro_batch& plain = plain_row.make({lengths}, rule).micro_batches[0];
    rule.context_parallel = slices;
    const stowage_micro_batch& cut = cut_row.make({lengths}, rule).micro_batches[0];

    RC_ASSERT(cut.length == plain.length);
    RC_ASSERT(cut.max_seqlen == plain.max_seqlen);
    RC_ASSERT(row(cut.cu_seqlens_padded, lengths.size() + 1) == row(plain.cu_seqlens_padded, lengths.size() + 1));
    const auto require_slices = [&](const auto* plain_array, const auto* cut_array) {
      const std::size_t local = plain.length / slices;
      for (std::uint32_t i = 0; i < slices; ++i) {
        RC_ASSERT(slice_of(row(plain_array, plain.length), plain, slices, i) == row(cut_array + i * local, local));
      }
    };
    require_slices(plain.tokens, cut.tokens);
    require_slices(plain.labels, cut.labels);
    require_slices(plain.position_ids, cut.position_ids);
    require_slices(plain.loss_mask, cut.loss_mask);
    RC_ASSERT(deliver::step_digest(plain_row.step()) == deliver::step_digest(cut_row.step(), slices));
  });
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
