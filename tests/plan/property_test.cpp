// SPDX-License-Identifier: Apache-2.0
// What holds for every plan of every request, tried on generated ones.
#include <gtest/gtest.h>
#include <omp.h>
#include <rapidcheck.h>

#include <limits>

#include "plan/lengths.hpp"
#include "plan/measure.hpp"
#include "plan/methods.hpp"
#include "plan/planner.hpp"
#include "support/errors.hpp"

namespace stowage::plan::test {
namespace {

struct Case {
  Lengths lengths;
  std::vector<ReplicaShape> shapes;
  Request request;
};

// A request with everything that may vary; lengths include 0, equal ones and ones of the cap.
Case generated() {
  Case one;
  const auto cap = *rc::gen::inRange<std::uint32_t>(16, 2000);
  const auto count = *rc::gen::inRange<std::size_t>(0, 120);
  const auto longest = *rc::gen::element<std::uint32_t>(1, cap / 4, cap / 2, cap);
  one.lengths = *rc::gen::container<Lengths>(count, rc::gen::inRange<std::uint32_t>(0, longest + 1));
  one.request.cap = cap;
  one.request.replicas = *rc::gen::inRange<std::uint32_t>(1, 12);
  one.request.pad_segments_to = *rc::gen::element<std::uint32_t>(1, 2, 16);
  one.request.cap = static_cast<std::uint32_t>(round_up<std::uint64_t>(cap, one.request.pad_segments_to));
  one.request.equal_counts = *rc::gen::arbitrary<bool>();
  one.request.objective = *rc::gen::element(Objective::makespan, Objective::pipeline, Objective::one_f_one_b);
  one.request.pipeline_stages = *rc::gen::inRange<std::uint32_t>(1, 6);
  one.request.micro_batch_order = *rc::gen::element(MicroBatchOrder::drawn, MicroBatchOrder::small_ends);
  one.request.cost.quadratic = *rc::gen::element(0.0, 1.0, 100.0);
  one.request.cost.linear = *rc::gen::element(0.0, 1.0, 24576.0);
  one.request.cost.per_micro_batch = *rc::gen::element(0.0, 1e6);
  if (*rc::gen::arbitrary<bool>()) {
    for (std::uint32_t r = 0; r < one.request.replicas; ++r) {
      one.shapes.push_back({*rc::gen::element(1.0, 1.5, 2.0), 0, 0});
    }
  }
  return one;
}

Request with_spans(const Case& one) {
  Request request = one.request;
  request.tokens = one.lengths;
  request.shapes = one.shapes;
  return request;
}

bool check(const std::function<void()>& property) {
  return rc::check(property);
}

TEST(PlanProperties, EverySequenceIsHeldOnceUnderTheCaps) {
  EXPECT_TRUE(check([] {
    const Case one = generated();
    const Request request = with_spans(one);

    expect_sound(request, make_plan(request));

    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(PlanProperties, APermutedStepIsDividedAlike) {
  EXPECT_TRUE(check([] {
    Case one = generated();
    // In drawn order the simulated schedule itself depends on the permutation.
    if (one.request.objective == Objective::one_f_one_b) one.request.micro_batch_order = MicroBatchOrder::small_ends;
    Case permuted = one;
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::shuffle(permuted.lengths.begin(), permuted.lengths.end(), random);
    const Request a = with_spans(one);
    const Request b = with_spans(permuted);

    RC_ASSERT(division(a, make_plan(a)) == division(b, make_plan(b)));
  }));
}

TEST(PlanProperties, BoundsAreNeverBeaten) {
  EXPECT_TRUE(check([] {
    const Case one = generated();
    const Request request = with_spans(one);
    const auto& method = *rc::gen::elementOf(std::vector<Method>(methods().begin(), methods().end()));

    const Measures measures = measure(request, method.plan(request));

    if (method.name == "omnibal" && measures.dropped > 0) return;
    RC_ASSERT(measures.replica_max_over_mean >= measures.replica_bound_max_over_mean * (1 - 1e-9));
    RC_ASSERT(measures.micro_batches >= measures.micro_batches_bound);
    if (request.objective != Objective::pipeline) RC_ASSERT(measures.makespan_over_bound >= 1 - 1e-9);
    if (request.equal_counts) RC_ASSERT(measures.slowest_over_bound >= 1 - 1e-9);
  }));
}

TEST(PlanProperties, BaselinesHoldEverySequenceUnderTheCap) {
  EXPECT_TRUE(check([] {
    Case one = generated();
    one.shapes.clear();
    const Request request = with_spans(one);
    const auto& method = *rc::gen::elementOf(std::vector<Method>(methods().begin() + 1, methods().end()));

    const Plan plan = method.plan(request);

    Lengths held = plan.order;
    std::sort(held.begin(), held.end());
    RC_ASSERT(std::adjacent_find(held.begin(), held.end()) == held.end());
    RC_ASSERT(held.size() == request.tokens.size() || method.name == "omnibal");
    for (std::uint32_t m = 0; m < plan.micro_batches(); ++m) RC_ASSERT(padded_tokens(request, plan, m) <= request.cap);
  }));
}

TEST(PlanProperties, ReplicasAreFilledWhereEmptyOnesAreForbidden) {
  EXPECT_TRUE(check([] {
    Case one = generated();
    one.request.allow_empty_replicas = false;
    RC_PRE(one.lengths.size() >= one.request.replicas);
    const Request request = with_spans(one);

    expect_sound(request, make_plan(request));

    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(PlanThreads, DoNotChangeTheDigest) {
  const Lengths lengths = random_lengths(40'000, 4000);
  const Request request = request_for(lengths, 512, 8192);
  omp_set_num_threads(1);
  const Digest one = make_plan(request).digest();

  omp_set_num_threads(3);
  const Digest three = make_plan(request).digest();

  EXPECT_EQ(one, three);
}

TEST(PlanThreads, StageTwoSpreadOverRanksGivesTheSamePlan) {
  const Lengths lengths = random_lengths(600, 4000);
  for (const bool equal : {true, false}) {
    Request request = request_for(lengths, 10, 8192);
    request.equal_counts = equal;
    request.objective = Objective::pipeline;
    request.pipeline_stages = 4;
    std::vector<Planner> ranks(3, Planner(request));

    bool settled = false;
    while (!settled) {
      std::vector<std::optional<Packing>> gathered(request.replicas);
      for (std::uint32_t r = 0; r < request.replicas; ++r) gathered[r] = ranks[r % ranks.size()].pack(r);
      for (Planner& rank : ranks) settled = rank.settle(gathered);
    }

    for (const Planner& rank : ranks) EXPECT_EQ(rank.plan().digest(), make_plan(request).digest());
  }
}

TEST(PlanDegenerate, NothingToPlan) {
  const Lengths lengths;

  for (const Method& method : methods()) {
    const Plan plan = method.plan(request_for(lengths, 4, 64));
    EXPECT_EQ(plan.micro_batches(), 0U) << method.name;
    EXPECT_EQ(plan.replicas(), 4U) << method.name;
  }
}

TEST(PlanDegenerate, OneReplicaTakesAll) {
  const Lengths lengths = random_lengths(50, 60);
  const Request request = request_for(lengths, 1, 64);

  const Plan plan = make_plan(request);

  expect_sound(request, plan);
  EXPECT_EQ(max_over_mean(plan.replica_cost), 1.0);
}

TEST(PlanDegenerate, EqualSequencesAreDividedEvenly) {
  const Lengths lengths(64, 1000);
  const Request request = request_for(lengths, 8, 4000);

  const Plan plan = make_plan(request);

  expect_sound(request, plan);
  EXPECT_EQ(max_over_mean(plan.replica_cost), 1.0);
  EXPECT_EQ(plan.micro_batches(), 16U);
}

TEST(PlanDegenerate, AGiantGetsAReplicaOfItsOwn) {
  Lengths lengths(30, 10);
  lengths.push_back(8000);
  const Request request = request_for(lengths, 4, 8192);

  const Plan plan = make_plan(request);

  expect_sound(request, plan);
  EXPECT_EQ(*std::max_element(plan.replica_cost.begin(), plan.replica_cost.end()), request.cost(8000));
}

TEST(PlanDegenerate, CostsOfZeroStillSpreadSequences) {
  const Lengths lengths(12, 5);
  Request request = request_for(lengths, 4, 15);
  request.cost.linear = 0.0;
  request.cost.quadratic = 0.0;

  const Plan plan = make_plan(request);

  expect_sound(request, plan);
  EXPECT_EQ(plan.micro_batches(), 4U);
}

TEST(PlanDegenerate, LengthsNearTwoToThe31DoNotOverflow) {
  const Lengths lengths = {2147483647U, 2147483646U, 2147483645U, 2147483644U, 1U, 0U, 4294967295U};
  const Request request = request_for(lengths, 3, 4294967295U);

  const Plan plan = make_plan(request);

  expect_sound(request, plan);
  EXPECT_EQ(*std::max_element(plan.replica_cost.begin(), plan.replica_cost.end()), request.cost(4294967295U));
}

TEST(PlanDegenerate, CostModelsMustBeFiniteAndNotNegative) {
  const Lengths lengths = {1, 2};
  Request request = request_for(lengths, 2, 8);

  request.cost.linear = -1.0;
  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT, "must be finite and not negative, got -1");
  request.cost.linear = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT, "must be finite and not negative, got inf");
}

}  // namespace
}  // namespace stowage::plan::test
