// SPDX-License-Identifier: Apache-2.0
// Objectives, unlike replicas, order, places, deferral and splitting, each on its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/serialization/vector.hpp>
#include <map>

#include "base/frame.hpp"
#include "plan/context_parallel.hpp"
#include "plan/deferral.hpp"
#include "plan/differencing.hpp"
#include "plan/lengths.hpp"
#include "plan/locality.hpp"
#include "plan/measure.hpp"
#include "plan/methods.hpp"
#include "plan/objective.hpp"
#include "support/errors.hpp"

namespace stowage::plan::test {
namespace {

TEST(OneFOneB, OfEqualMicroBatchesIsThePipelineFormula) {
  for (const std::size_t count : {1U, 2U, 5U, 16U}) {
    for (const std::uint32_t stages : {1U, 2U, 4U, 8U}) {
      const std::vector<double> micro_batches(count, 3.0);

      const double time = one_f_one_b(micro_batches, stages);

      EXPECT_NEAR(time, step_time(micro_batches, Objective::pipeline, stages), 1e-9) << count << " " << stages;
    }
  }
}

TEST(OneFOneB, OfOneStageIsTheSum) {
  EXPECT_NEAR(one_f_one_b(std::vector<double>{1, 2, 6}, 1), 9.0, 1e-12);
}

TEST(OneFOneB, ByHandForTwoStagesAndTwoMicroBatches) {
  // Forward 1 and 2, backward 2 and 4. Stage 0: F0 0-1, F1 1-3; stage 1: F0 1-2, B0 2-4, F1 4-6, B1 6-10;
  // stage 0: B0 4-6, B1 10-14.
  EXPECT_NEAR(one_f_one_b(std::vector<double>{3, 6}, 2), 14.0, 1e-12);
}

TEST(MicroBatchOrders, SmallEndsShortenTheSchedule) {
  const Lengths lengths = random_lengths(40, 8000, 3);
  Request request = request_for(lengths, 1, 8192);
  request.objective = Objective::one_f_one_b;
  request.pipeline_stages = 8;
  const Measures drawn = measure(request, make_plan(request));
  request.micro_batch_order = MicroBatchOrder::small_ends;

  const Plan plan = make_plan(request);

  EXPECT_LE(measure(request, plan).makespan_over_bound, drawn.makespan_over_bound);
  expect_sound(request, plan);
}

TEST(UnlikeReplicas, FasterOnesGetMoreWork) {
  const Lengths lengths = random_lengths(400, 4000, 5);
  const std::vector<ReplicaShape> shapes = {{1.0, 0, 0}, {2.0, 0, 0}, {1.0, 4096, 3000}, {1.5, 16384, 0}};
  Request request = request_for(lengths, 4, 8192);
  request.shapes = shapes;
  request.equal_counts = false;

  const Plan plan = make_plan(request);

  expect_sound(request, plan);
  const Measures measures = measure(request, plan);
  EXPECT_LT(measures.replica_max_over_mean, 1.001);
  EXPECT_NEAR(plan.replica_cost[1] / plan.replica_cost[0], 2.0, 0.01);
}

TEST(UnlikeReplicas, MustBeAbleToTakeEverySequence) {
  const Lengths lengths = {5000, 10};
  const std::vector<ReplicaShape> shapes = {{1.0, 0, 100}, {1.0, 0, 4000}};
  Request request = request_for(lengths, 2, 8192);
  request.shapes = shapes;

  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT, "within the replicas' caps and longest sequences");
}

TEST(UnlikeReplicas, SpeedsMustBePositive) {
  const Lengths lengths = {1};
  const std::vector<ReplicaShape> shapes = {{0.0, 0, 0}};
  Request request = request_for(lengths, 1, 8);
  request.shapes = shapes;

  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT, "speed of replica 0 must be above 0");
}

TEST(EmptyReplicas, AreAnErrorWhereTheTrainerForbidsThem) {
  const Lengths lengths = {5, 6};
  Request request = request_for(lengths, 3, 8);
  request.allow_empty_replicas = false;

  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT, "2 sequences leave some of 3 replicas empty");
}

TEST(Places, MatchingMovesFewerTokensAtTheSameMakespan) {
  const Lengths lengths = random_lengths(800, 2000, 7);
  std::vector<std::uint32_t> node_of_sequence;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    node_of_sequence.push_back(static_cast<std::uint32_t>(k * 7 / 3 % 4));
  const std::vector<std::uint32_t> node_of_replica = {0, 0, 1, 1, 2, 2, 3, 3};
  Request request = request_for(lengths, 8, 8192);
  const Plan unmatched = make_plan(request);
  request.places = {node_of_sequence, node_of_replica};

  const Plan matched = make_plan(request);

  expect_sound(request, matched);
  EXPECT_LT(tokens_between_nodes(request, matched), tokens_between_nodes(request, unmatched));
  EXPECT_LE(*std::max_element(matched.replica_cost.begin(), matched.replica_cost.end()),
            *std::max_element(unmatched.replica_cost.begin(), unmatched.replica_cost.end()));
}

TEST(Places, MustNameNodesOfBoth) {
  const Lengths lengths = {1, 2};
  const std::vector<std::uint32_t> nodes = {0, 1};
  Request request = request_for(lengths, 2, 8);
  request.places.node_of_sequence = nodes;

  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT, "nodes of sequences and of replicas, or neither");
}

std::vector<Deferrable> arrivals(const Lengths& lengths, std::uint64_t first_id) {
  std::vector<Deferrable> drawn;
  for (const std::uint32_t tokens : lengths) drawn.push_back({first_id++, tokens, 0});
  return drawn;
}

TEST(Deferral, NothingIsLostAndNothingWaitsTooLong) {
  EXPECT_TRUE(rc::check([] {
    const auto most = *rc::gen::inRange<std::uint32_t>(0, 6);
    DeferralQueue queue(most, *rc::gen::inRange<std::uint32_t>(1, 20), CostModel{});
    std::map<std::uint64_t, int> seen;
    std::uint64_t next_id = 0;
    for (int step = 0; step < 20; ++step) {
      const auto lengths = *rc::gen::container<Lengths>(30, rc::gen::element<std::uint32_t>(0, 10, 100, 1000, 50'000));
      for (const Deferrable& one : queue.step(arrivals(lengths, next_id))) {
        ++seen[one.id];
        RC_ASSERT(one.waited <= most);
      }
      next_id += lengths.size();
    }
    for (const Deferrable& one : queue.flush()) ++seen[one.id];

    RC_ASSERT(seen.size() == next_id);
    for (const auto& [id, times] : seen) RC_ASSERT(times == 1);
  }));
}

TEST(Deferral, AStepWithoutDeferralIsWhatWasDrawn) {
  DeferralQueue queue(0, 4, CostModel{});
  const auto drawn = arrivals({1, 100'000, 3}, 0);

  EXPECT_EQ(queue.step(drawn), drawn);
  EXPECT_TRUE(queue.waiting().empty());
}

TEST(Deferral, OutliersWaitAndThenComeTogether) {
  DeferralQueue queue(2, 4, CostModel{});
  const Lengths with_giant = {10, 10, 10, 10, 5000};

  EXPECT_EQ(queue.step(arrivals(with_giant, 0)).size(), 4U);
  EXPECT_EQ(queue.step(arrivals(with_giant, 5)).size(), 4U);
  EXPECT_EQ(queue.step(arrivals(with_giant, 10)).size(), 7U);
  EXPECT_TRUE(queue.waiting().empty());
}

TEST(Deferral, GoesOnFromSavedState) {
  const Lengths with_giant = {10, 10, 10, 10, 5000};
  DeferralQueue straight(3, 4, CostModel{});
  straight.step(arrivals(with_giant, 0));
  const Bytes saved = frame::encode(straight.waiting(), 1);
  DeferralQueue resumed(3, 4, CostModel{});
  resumed.restore(frame::decode<std::vector<Deferrable>>(saved, 1, "waiting sequences"));

  for (std::uint64_t step = 1; step < 6; ++step) {
    EXPECT_EQ(resumed.step(arrivals(with_giant, 5 * step)), straight.step(arrivals(with_giant, 5 * step)));
  }
}

TEST(SplitDegree, IsTheLeastThatFits) {
  EXPECT_EQ(split_degree(0, 100, Degrees::any), 1U);
  EXPECT_EQ(split_degree(100, 100, Degrees::any), 1U);
  EXPECT_EQ(split_degree(501, 100, Degrees::any), 6U);
  EXPECT_EQ(split_degree(501, 100, Degrees::powers_of_two), 8U);
  EXPECT_ERROR(split_degree(1, 0, Degrees::any), STOWAGE_INVALID_ARGUMENT, "tokens_per_rank must be at least 1");
}

TEST(SplitAssignments, LetAGiantRunEverywhere) {
  Lengths lengths(60, 1000);
  lengths.push_back(60'000);
  Request request = request_for(lengths, 8, 0);
  const double whole = max_over_mean(method("stowage").plan(request).replica_cost);
  for (const Degrees degrees : {Degrees::any, Degrees::powers_of_two}) {
    const std::vector<std::uint32_t> degree = balanced_degrees(request, degrees);

    const SplitAssignment split = assign_split(request, degree);

    EXPECT_LT(max_over_mean(split.replica_cost), 1.05);
    EXPECT_GT(whole, 2.0);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Lengths holders(split.replicas.begin() + split.first_part[i], split.replicas.begin() + split.first_part[i + 1]);
      std::sort(holders.begin(), holders.end());
      EXPECT_EQ(std::adjacent_find(holders.begin(), holders.end()), holders.end());
      EXPECT_EQ(holders.size(), degree[i]);
    }
  }
}

TEST(SplitAssignments, RefuseMorePartsThanReplicas) {
  const Lengths lengths = {10};
  const std::vector<std::uint32_t> degree = {3};

  EXPECT_ERROR(assign_split(request_for(lengths, 2, 0), degree), STOWAGE_INVALID_ARGUMENT,
               "over 1 to 2 replicas, got 3");
}

TEST(Differencing, OfThePaperExampleLeavesTwo) {
  // 8 7 6 5 4: differencing ends at 2 while the optimum is 0 (Karmarkar and Karp's own example).
  const std::vector<Work> work = {8, 7, 6, 5, 4};
  std::vector<std::uint8_t> side;

  EXPECT_EQ(difference_pair(work, side), 2);

  Work difference = 0;
  for (std::size_t i = 0; i < work.size(); ++i) difference += side[i] == 0 ? work[i] : -work[i];
  EXPECT_EQ(difference, 2);
}

TEST(Differencing, EqualCountsGiveEveryPartAsManyItems) {
  std::vector<Work> work;
  for (const std::uint32_t length : random_lengths(64, 1000)) work.push_back(length);
  std::sort(work.begin(), work.end(), std::greater<>());

  for (const auto& part : karmarkar_karp(work, 8, Counts::equal)) EXPECT_EQ(part.size(), 8U);
}

}  // namespace
}  // namespace stowage::plan::test
