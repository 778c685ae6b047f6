// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_parts.hpp"

#include <cstring>
#include <numeric>

#include "deliver/slices.hpp"
#include "deliver/step_block.hpp"
#include "deliver/step_digest.hpp"
#include "support/errors.hpp"

namespace stowage::deliver {
namespace {

constexpr std::uint32_t kSlices = 2;
const std::vector<MicroShape> kShapes{{8, 1, 6, 8}, {4, 0, 0, 4}};

// Whole rows of kSlices slices; entry i of micro-batch m is 1000 m + i, plus 100 for each further array.
std::shared_ptr<const AlignedBuffer> whole_block(std::uint32_t slices = kSlices) {
  BlockHead head;
  head.step = 7;
  head.slices = slices;
  StepBlock block(head, kShapes);
  for (std::size_t m = 0; m < kShapes.size(); ++m) {
    const MicroArrays to = block.micro_batch(m);
    const auto first = static_cast<std::int64_t>(1000 * m);
    std::iota(to.tokens.begin(), to.tokens.end(), first);
    std::iota(to.labels.begin(), to.labels.end(), first + 100);
    std::iota(to.position_ids.begin(), to.position_ids.end(), first + 200);
    std::iota(to.loss_mask.begin(), to.loss_mask.end(), static_cast<float>(first + 300));
    to.cu_seqlens[0] = to.cu_seqlens_padded[0] = 0;
    for (std::size_t s = 0; s < to.origin.size(); ++s) {
      to.origin[s] = {.sequence = 77, .epoch = 0, .begin = 0, .source = 0, .piece = 0, .tokens = 6, .reserved = 0};
      to.cu_seqlens[s + 1] = 6;
      to.cu_seqlens_padded[s + 1] = 8;
    }
  }
  return std::make_shared<const AlignedBuffer>(std::move(block).take());
}

template <typename T>
std::vector<T> row(const T* array, std::size_t count) {
  return {array, array + count};
}

TEST(Part, FollowsFromTheTrainersPlace) {
  const auto part = [](std::int32_t cp, std::int32_t cp_size, std::int32_t pp, std::int32_t pp_size) {
    return part_of({.tensor = {1, 4}, .context = {cp, cp_size}, .pipeline = {pp, pp_size}});
  };

  EXPECT_EQ(part_of({}), Part{});
  EXPECT_EQ(part(0, 1, 0, 1), (Part{Part::kWholeRow, kAllRows}));
  EXPECT_EQ(part(0, 2, 0, 2), (Part{0, kInputs}));
  EXPECT_EQ(part(1, 2, 1, 2), (Part{1, kTargets}));
  EXPECT_EQ(part(2, 3, 1, 3), (Part{2, kNoRows}));
}

TEST(Part, OfAWrongPlaceIsRefusedByName) {
  EXPECT_EQ(problem_of({.tensor = {1, 2}, .context = {2, 3}, .pipeline = {0, 1}}, 3), std::nullopt);
  EXPECT_EQ(problem_of({.tensor = {0, 0}, .context = {}, .pipeline = {}}, 1),
            "tensor_parallel_size must be >= 1, got 0");
  EXPECT_EQ(problem_of({.tensor = {}, .context = {}, .pipeline = {2, 2}}, 1),
            "pipeline_parallel_rank must be in [0, 2), got 2");
  EXPECT_EQ(problem_of({.tensor = {}, .context = {-1, 2}, .pipeline = {}}, 2),
            "context_parallel_rank must be in [0, 2), got -1");
  EXPECT_EQ(problem_of({}, 4), "context_parallel_size must be 4, as the configuration says (context_parallel), got 1");
}

TEST(StepParts, FirstStageGetsItsSliceOfTokensAndPositions) {
  const auto whole = whole_block();

  const StepView view(whole->bytes(), {1, kInputs});

  const stowage_micro_batch& batch = view.step().micro_batches[0];
  EXPECT_EQ(batch.length, 8U);
  ASSERT_EQ(batch.local_length, 4U);
  EXPECT_EQ(row(batch.tokens, 4), (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(row(batch.position_ids, 4), (std::vector<std::int64_t>{204, 205, 206, 207}));
  EXPECT_EQ(batch.labels, nullptr);
  EXPECT_EQ(batch.loss_mask, nullptr);
  EXPECT_EQ(row(view.step().micro_batches[1].tokens, 2), (std::vector<std::int64_t>{1002, 1003}));
}

TEST(StepParts, LastStageGetsItsSliceOfLabelsAndMask) {
  const auto whole = whole_block();

  const StepView view(whole->bytes(), {0, kTargets});

  const stowage_micro_batch& batch = view.step().micro_batches[0];
  EXPECT_EQ(batch.tokens, nullptr);
  EXPECT_EQ(batch.position_ids, nullptr);
  EXPECT_EQ(row(batch.labels, 4), (std::vector<std::int64_t>{100, 101, 102, 103}));
  EXPECT_EQ(row(batch.loss_mask, 4), (std::vector<float>{300, 301, 302, 303}));
}

TEST(StepParts, MiddleStageGetsBoundariesAndOriginOnly) {
  const auto whole = whole_block();

  const StepView view(whole->bytes(), {1, kNoRows});

  const stowage_micro_batch& batch = view.step().micro_batches[0];
  EXPECT_EQ(batch.tokens, nullptr);
  EXPECT_EQ(batch.position_ids, nullptr);
  EXPECT_EQ(batch.labels, nullptr);
  EXPECT_EQ(batch.loss_mask, nullptr);
  EXPECT_EQ(batch.local_length, 4U);
  EXPECT_EQ(row(batch.cu_seqlens, 2), (std::vector<std::int32_t>{0, 6}));
  EXPECT_EQ(row(batch.cu_seqlens_padded, 2), (std::vector<std::int32_t>{0, 8}));
  EXPECT_EQ(batch.origin[0].sequence, 77U);
}

TEST(StepParts, ACopyShowsWhatTheWholeBlockShows) {
  StepParts parts(whole_block());
  for (const Part part : {Part{0, kInputs}, Part{1, kInputs}, Part{0, kTargets}, Part{1, kNoRows}, Part{1, kAllRows},
                          Part{Part::kWholeRow, kInputs}, Part{Part::kWholeRow, kTargets}}) {
    const auto whole = whole_block();
    const auto copy = parts.copy(part);

    EXPECT_EQ(step_digest(StepView(copy->bytes(), part).step()), step_digest(StepView(whole->bytes(), part).step()));
  }
}

TEST(StepParts, ACopyTakesNoBytesForWhatItDoesNotHold) {
  const std::vector<MicroShape> shapes{{4096, 1, 4096, 4096}};
  BlockHead head;
  head.slices = kSlices;
  StepBlock block(head, shapes);
  block.micro_batch(0).cu_seqlens[0] = 0;
  StepParts parts(std::make_shared<const AlignedBuffer>(std::move(block).take()));
  constexpr std::size_t kOverhead = 128 + 3 * 64;  // head and shape, origin, two times two boundaries

  EXPECT_EQ(parts.copy({})->size(), kOverhead + 4096 * (8 + 8 + 8 + 4));
  EXPECT_EQ(parts.copy({1, kInputs})->size(), kOverhead + 2048 * (8 + 8));
  EXPECT_EQ(parts.copy({1, kTargets})->size(), kOverhead + 2048 * (8 + 4));
  EXPECT_EQ(parts.copy({1, kNoRows})->size(), kOverhead);
}

TEST(StepParts, TrainersOfOnePartShareOneCopyAndTheWholeIsNoCopy) {
  const auto whole = whole_block();
  StepParts parts(whole);

  EXPECT_EQ(parts.copy({0, kInputs}), parts.copy({0, kInputs}));
  EXPECT_NE(parts.copy({0, kInputs}), parts.copy({1, kInputs}));
  EXPECT_EQ(parts.copy({}), whole);
}

TEST(StepParts, AViewOfWhatIsNotHeldIsRefused) {
  StepParts parts(whole_block());
  const auto copy = parts.copy({1, kInputs});

  EXPECT_ERROR(StepView(copy->bytes(), {0, kInputs}), STOWAGE_INTERNAL_ERROR, "without the part that is wanted");
  EXPECT_ERROR(StepView(copy->bytes(), {1, kAllRows}), STOWAGE_INTERNAL_ERROR, "without the part that is wanted");
  EXPECT_ERROR(StepView(copy->bytes()), STOWAGE_INTERNAL_ERROR, "without the part that is wanted");
  EXPECT_ERROR(StepView(copy->bytes(), {2, kInputs}), STOWAGE_INTERNAL_ERROR, "fewer slices");
}

TEST(StepDigest, OfAWholeStepDoesNotDependOnHowItIsCut) {
  const auto plain = whole_block(1);
  BlockHead head;
  head.step = 7;
  head.slices = kSlices;
  StepBlock block(head, kShapes);
  const StepView from(plain->bytes());
  for (std::size_t m = 0; m < kShapes.size(); ++m) {
    const stowage_micro_batch& whole = from.step().micro_batches[m];
    const MicroArrays to = block.micro_batch(m);
    for_each_run(0, whole.length, whole.length, kSlices, [&](std::size_t first, std::size_t place, std::size_t count) {
      std::copy_n(whole.tokens + first, count, to.tokens.data() + place);
      std::copy_n(whole.labels + first, count, to.labels.data() + place);
      std::copy_n(whole.position_ids + first, count, to.position_ids.data() + place);
      std::copy_n(whole.loss_mask + first, count, to.loss_mask.data() + place);
    });
    std::copy_n(whole.cu_seqlens, to.cu_seqlens.size(), to.cu_seqlens.data());
    std::copy_n(whole.cu_seqlens_padded, to.cu_seqlens_padded.size(), to.cu_seqlens_padded.data());
    std::copy_n(whole.origin, to.origin.size(), to.origin.data());
  }
  const StepView cut(std::move(block).take());

  EXPECT_EQ(step_digest(cut.step(), kSlices), step_digest(from.step()));
  EXPECT_NE(step_digest(cut.step()), step_digest(from.step()));
}

}  // namespace
}  // namespace stowage::deliver
