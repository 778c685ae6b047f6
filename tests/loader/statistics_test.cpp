// SPDX-License-Identifier: Apache-2.0
#include "loader/statistics.hpp"

#include <gtest/gtest.h>

namespace stowage::loader {
namespace {

TEST(PlanStatistics, ComparesThePlanWithTheDrawnOrder) {
  StepBatch batch;
  const std::vector<std::uint32_t> tokens{4, 4, 1, 1};
  for (const std::uint32_t t : tokens) batch.segments.emplace_back().piece.tokens = t;
  batch.sequences = 4;
  plan::Request request;
  request.tokens = tokens;
  request.replicas = 2;
  request.cap = 8;
  request.cost = {1.0, 0.0};
  const config::MicroBatch rule{.tokens = 8, .pad_to_cap = true};
  PlanStatistics statistics;

  statistics.add(batch, request, plan::make_plan(request), rule);

  EXPECT_DOUBLE_EQ(statistics.mean_drawn(), 8.0 / 5.0);
  EXPECT_DOUBLE_EQ(statistics.mean_planned(), 1.0);
  EXPECT_EQ(statistics.tokens, 10U);
  EXPECT_EQ(statistics.row_tokens, 16U);
  EXPECT_DOUBLE_EQ(statistics.padding_share(), 1.0 - 10.0 / 16.0);
}

TEST(PlanStatistics, OfNothingAreNeutral) {
  const PlanStatistics statistics;

  EXPECT_DOUBLE_EQ(statistics.mean_drawn(), 1.0);
  EXPECT_DOUBLE_EQ(statistics.padding_share(), 0.0);
}

}  // namespace
}  // namespace stowage::loader
