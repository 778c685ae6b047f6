// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/state.hpp"

#include <gtest/gtest.h>

#include <boost/serialization/vector.hpp>

#include "base/frame.hpp"

namespace stowage::checkpoint {
namespace {

TEST(IteratorState, IsTheSameAfterSerialization) {
  IteratorState state;
  state.step = 7;
  state.draws = {.position = 12, .drawn = {5, 7}, .stage_base = {5, 6}};
  state.deferred = {{.draw = {.position = 3, .sequence = 9, .epoch = 1, .source = 1}, .waited = 2}};
  state.counts.resize(2);
  state.counts[1] = {
      .drawn = 1, .delivered = 2, .tokens = 3, .truncated = 4, .tokens_cut = 5, .split = 6, .dropped = {7, 8, 9}};
  state.plans = {.high = 1, .low = 2};

  const auto read = frame::decode<IteratorState>(frame::encode(state, 1), 1, "a state");

  EXPECT_EQ(read, state);
}

TEST(SourceCount, AddsUpEveryField) {
  SourceCount sum{
      .drawn = 1, .delivered = 2, .tokens = 3, .truncated = 4, .tokens_cut = 5, .split = 6, .dropped = {7, 8, 9}};

  sum += sum;

  EXPECT_EQ(sum, (SourceCount{.drawn = 2,
                              .delivered = 4,
                              .tokens = 6,
                              .truncated = 8,
                              .tokens_cut = 10,
                              .split = 12,
                              .dropped = {14, 16, 18}}));
}

TEST(Chain, DependsOnEveryPlanAndTheirOrder) {
  const Digest a{.high = 1, .low = 2};
  const Digest b{.high = 2, .low = 1};

  EXPECT_EQ(chain(chain({}, a), b), chain(chain({}, a), b));
  EXPECT_NE(chain(chain({}, a), b), chain(chain({}, b), a));
  EXPECT_NE(chain({}, a), a);
}

}  // namespace
}  // namespace stowage::checkpoint
