// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "plan/plan.hpp"

namespace {

using stowage::plan::make_plan;
using stowage::plan::max_over_mean;
using stowage::plan::Plan;
using stowage::plan::Request;
using testing::HasSubstr;

using Lengths = std::vector<std::uint32_t>;

Lengths some_lengths(std::uint32_t count, std::uint32_t below) {
  Lengths lengths(count);
  std::uint64_t state = 88172645463325252ULL;
  for (std::uint32_t& length : lengths) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    length = static_cast<std::uint32_t>(state % below);
  }
  return lengths;
}

Request request_for(const Lengths& lengths, std::uint32_t replicas, std::uint32_t cap) {
  Request request;
  request.tokens = lengths;
  request.replicas = replicas;
  request.cap = cap;
  return request;
}

std::uint64_t padded_tokens(const Request& request, const Plan& plan, std::uint32_t micro_batch) {
  std::uint64_t sum = 0;
  for (const std::uint32_t i : plan.sequences(micro_batch)) {
    sum += stowage::round_up<std::uint64_t>(request.tokens[i], request.pad_segments_to);
  }
  return sum;
}

template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const stowage::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MakePlan, HoldsEachSequenceOnceUnderTheCap) {
  const Lengths lengths = some_lengths(500, 4000);
  Request request = request_for(lengths, 7, 8192);
  request.pad_segments_to = 16;

  const Plan plan = make_plan(request);

  Lengths held = plan.order;
  std::sort(held.begin(), held.end());
  Lengths all(lengths.size());
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(held, all);
  for (std::uint32_t m = 0; m < plan.micro_batches(); ++m) EXPECT_LE(padded_tokens(request, plan, m), 8192U);
}

TEST(MakePlan, GivesEveryReplicaTheSameNumberOfFilledMicroBatches) {
  const Lengths lengths = some_lengths(500, 4000);

  const Plan plan = make_plan(request_for(lengths, 7, 8192));

  const std::uint32_t count = plan.replica_begin[1];
  for (std::uint32_t r = 0; r < 7; ++r) EXPECT_EQ(plan.replica_begin[r + 1] - plan.replica_begin[r], count);
  for (std::uint32_t m = 0; m < plan.micro_batches(); ++m) EXPECT_FALSE(plan.sequences(m).empty());
}

TEST(MakePlan, BalancesCost) {
  const Lengths lengths = some_lengths(500, 4000);

  const Plan plan = make_plan(request_for(lengths, 7, 8192));

  EXPECT_LT(max_over_mean(plan.replica_cost), 1.01);
}

TEST(MakePlan, LeavesMicroBatchesEmptyOnlyWhereSequencesAreTooFew) {
  const Lengths lengths = {8, 8, 8};

  const Plan equal = make_plan(request_for(lengths, 5, 8));

  ASSERT_EQ(equal.micro_batches(), 5U);
  EXPECT_EQ(std::count(equal.replica_cost.begin(), equal.replica_cost.end(), 0.0), 2);
}

TEST(MakePlan, GivesNoMicroBatchesWithoutSequences) {
  const Plan plan = make_plan(request_for({}, 3, 8));

  EXPECT_EQ(plan.replicas(), 3U);
  EXPECT_EQ(plan.micro_batches(), 0U);
  EXPECT_EQ(max_over_mean(plan.replica_cost), 1.0);
}

TEST(MakePlan, DeliversZeroLengthSequences) {
  const Lengths lengths = {0, 0, 0, 0};

  const Plan plan = make_plan(request_for(lengths, 2, 8));

  EXPECT_EQ(plan.order.size(), 4U);
  EXPECT_EQ(plan.micro_batches(), 2U);
  EXPECT_EQ(plan.sequences(0).size(), 2U);
}

TEST(MakePlan, DigestsTellPlansApart) {
  const Lengths lengths = some_lengths(64, 4000);
  const Plan two = make_plan(request_for(lengths, 2, 8192));
  const Plan again = make_plan(request_for(lengths, 2, 8192));
  const Plan four = make_plan(request_for(lengths, 4, 8192));

  EXPECT_EQ(two.digest(), again.digest());
  EXPECT_NE(two.digest(), four.digest());
}

TEST(MakePlan, NamesTheSequenceThatDoesNotFit) {
  const Lengths lengths = {5, 9, 3};
  Request request = request_for(lengths, 2, 9);
  request.pad_segments_to = 4;

  EXPECT_THAT(error_of([&] { make_plan(request); }), HasSubstr("sequence 1 of the step takes 12 tokens"));
}

TEST(MakePlan, RefusesZeroReplicasCapAndPadding) {
  const Lengths lengths = {1};
  Request without_padding = request_for(lengths, 1, 1);
  without_padding.pad_segments_to = 0;

  EXPECT_THAT(error_of([&] { make_plan(request_for(lengths, 0, 1)); }), HasSubstr("replicas must be at least 1"));
  EXPECT_THAT(error_of([&] { make_plan(request_for(lengths, 1, 0)); }), HasSubstr("cap must be at least 1 token"));
  EXPECT_THAT(error_of([&] { make_plan(without_padding); }), HasSubstr("pad_segments_to must be at least 1"));
}

TEST(MaxOverMean, IsOneForNothingAndForEqualValues) {
  EXPECT_EQ(max_over_mean({}), 1.0);
  EXPECT_EQ(max_over_mean(std::vector<double>{0, 0}), 1.0);
  EXPECT_EQ(max_over_mean(std::vector<double>{3, 3, 3}), 1.0);
  EXPECT_EQ(max_over_mean(std::vector<double>{1, 3}), 1.5);
}

}  // namespace
