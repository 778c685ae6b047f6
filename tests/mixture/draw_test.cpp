// SPDX-License-Identifier: Apache-2.0
#include "mixture/draw.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/errors.hpp"

namespace stowage::mixture {
namespace {

std::vector<SourceSpec> three_sources() {
  return {{.name = "books", .sequences = 5, .weight = 0.5},
          {.name = "web", .sequences = 11, .weight = 0.3},
          {.name = "code", .sequences = 2, .weight = 0.2, .shuffled = false}};
}

std::vector<Draw> take(DrawStream& stream, std::uint64_t count) {
  std::vector<Draw> draws;
  while (draws.size() < count) {
    const std::optional<Draw> draw = stream.next();
    if (!draw) break;
    draws.push_back(*draw);
  }
  return draws;
}

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

std::vector<SourceSpec> random_sources() {
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<SourceSpec> sources(size);
  for (std::size_t i = 0; i < size; ++i) {
    sources[i].name = "source " + std::to_string(i);
    sources[i].sequences = *rc::gen::inRange<std::uint64_t>(1, 60);
    sources[i].weight = *rc::gen::elementOf(std::vector<double>{0.0, 1e-3, 0.1, 0.7, 1.0, 33.0, 1000.0});
    sources[i].shuffled = *rc::gen::arbitrary<bool>();
  }
  sources[size / 2].weight = 1.0;
  return sources;
}

RC_GTEST_PROP(DrawProperty, EverySequenceIsDrawnOnceInEachEpoch, ()) {
  const std::vector<SourceSpec> sources = random_sources();
  const auto epochs = *rc::gen::inRange<std::uint64_t>(1, 5);
  DrawStream stream(*rc::gen::arbitrary<std::uint64_t>(), sources, epochs);

  const std::vector<Draw> draws = take(stream, kAll);

  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, int> times;
  std::vector<std::uint64_t> present_epoch(sources.size());
  for (std::size_t n = 0; n < draws.size(); ++n) {
    RC_ASSERT(draws[n].position == n);
    RC_ASSERT(draws[n].epoch >= present_epoch.at(draws[n].source));  // epochs of one source come one after the other
    present_epoch[draws[n].source] = draws[n].epoch;
    ++times[{draws[n].source, draws[n].sequence, draws[n].epoch}];
  }
  std::uint64_t expected = 0;
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    if (sources[i].weight == 0.0) continue;
    expected += sources[i].sequences * epochs;
    for (std::uint64_t sequence = 0; sequence < sources[i].sequences; ++sequence) {
      for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) RC_ASSERT((times[{i, sequence, epoch}] == 1));
    }
  }
  RC_ASSERT(draws.size() == expected);
  RC_ASSERT(stream.total() == expected);
  RC_ASSERT(!stream.next());
}

RC_GTEST_PROP(DrawProperty, RestoreAtAnyPositionContinuesIdentically, ()) {
  const std::vector<SourceSpec> sources = random_sources();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto epochs = *rc::gen::elementOf(std::vector<std::optional<std::uint64_t>>{std::nullopt, 1, 2, 3});
  DrawStream whole(seed, sources, epochs);
  take(whole, *rc::gen::inRange<std::uint64_t>(0, 4000));
  DrawStream resumed(seed, sources, epochs);
  take(resumed, *rc::gen::inRange<std::uint64_t>(0, 50));  // a stream in use may be set to another place

  const DrawState saved = whole.state();
  resumed.restore(saved);

  RC_ASSERT(resumed.state() == saved);
  RC_ASSERT(take(whole, 3000) == take(resumed, 3000));
  RC_ASSERT(whole.state() == resumed.state());
}

RC_GTEST_PROP(DrawProperty, DrawsFollowTheSharesOfTheSourcesThatAreLeft, ()) {
  const std::vector<SourceSpec> sources = random_sources();
  DrawStream stream(1, sources, 2);

  while (stream.next()) {
    const DrawState& state = stream.state();
    double total = 0.0;
    std::uint64_t in_stage = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      in_stage += state.drawn[i] - state.stage_base[i];
      if (state.stage_base[i] < 2 * sources[i].sequences) total += sources[i].weight;
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool left = state.stage_base[i] < 2 * sources[i].sequences;
      const double share = left && in_stage > 0 ? sources[i].weight / total : 0.0;
      const auto given = static_cast<double>(state.drawn[i] - state.stage_base[i]);
      RC_ASSERT(std::abs(given - share * static_cast<double>(in_stage)) < 1.0 + 1e-9);
    }
  }
}

TEST(DrawStream, RepeatsSourcesForEverWithoutEpochs) {
  DrawStream stream(1, three_sources(), std::nullopt);

  const std::vector<Draw> draws = take(stream, 1000);

  EXPECT_EQ(draws.size(), 1000U);
  EXPECT_EQ(stream.total(), std::nullopt);
  EXPECT_EQ(stream.state().drawn, (std::vector<std::uint64_t>{500, 300, 200}));
}

TEST(DrawStream, AddingASourceLeavesTheOrderOfTheOthersAsItWas) {
  std::vector<SourceSpec> more = three_sources();
  more.insert(more.begin(), {.name = "speech", .sequences = 9, .weight = 0.4});
  DrawStream before(1, three_sources(), 3);
  DrawStream after(1, more, 3);

  const std::vector<Draw> draws_before = take(before, kAll);
  const std::vector<Draw> draws_after = take(after, kAll);

  const auto order_of = [](const std::vector<Draw>& draws, std::uint32_t source) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (const Draw& draw : draws) {
      if (draw.source == source) order.emplace_back(draw.epoch, draw.sequence);
    }
    return order;
  };
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(order_of(draws_before, i), order_of(draws_after, i + 1));
}

TEST(DrawStream, SequentialSourcesComeInTheirOwnOrder) {
  DrawStream stream(1, {{.name = "a", .sequences = 3, .weight = 1.0, .shuffled = false}}, 2);

  std::vector<std::uint64_t> sequences;
  for (const Draw& draw : take(stream, kAll)) sequences.push_back(draw.sequence);

  EXPECT_EQ(sequences, (std::vector<std::uint64_t>{0, 1, 2, 0, 1, 2}));
}

TEST(DrawStream, AnEmptySourceMayBeDisabled) {
  DrawStream stream(1, {{.name = "empty"}, {.name = "a", .sequences = 2, .weight = 1.0}}, 1);

  EXPECT_EQ(take(stream, kAll).size(), 2U);
}

TEST(DrawStream, ThousandsOfSourcesLeaveOneByOne) {
  std::vector<SourceSpec> sources;
  for (std::uint64_t i = 0; i < 2500; ++i) {
    sources.push_back(
        {.name = std::to_string(i), .sequences = 1 + i % 97, .weight = 1.0 + static_cast<double>(i % 13)});
  }
  DrawStream stream(1, sources, 1);

  const std::vector<Draw> draws = take(stream, kAll);

  EXPECT_EQ(draws.size(), stream.total());
}

TEST(DrawStream, StreamIsPinned) {
  DrawStream stream(1234, three_sources(), 1);

  std::vector<std::pair<std::uint32_t, std::uint64_t>> draws;
  for (const Draw& draw : take(stream, kAll)) draws.emplace_back(draw.source, draw.sequence);

  EXPECT_EQ(draws, (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{0, 0},
                                                                         {1, 4},
                                                                         {0, 4},
                                                                         {2, 0},
                                                                         {0, 1},
                                                                         {1, 10},
                                                                         {0, 2},
                                                                         {2, 1},
                                                                         {0, 3},
                                                                         {1, 7},
                                                                         {1, 2},
                                                                         {1, 8},
                                                                         {1, 5},
                                                                         {1, 6},
                                                                         {1, 0},
                                                                         {1, 3},
                                                                         {1, 9},
                                                                         {1, 1}}));
}

TEST(DrawStream, RefusesSpecificationsThatCannotBeDrawn) {
  const std::uint64_t half = std::uint64_t{1} << 63;

  EXPECT_ERROR(DrawStream(1, {{.name = "a", .weight = 1.0}}, 1), STOWAGE_INVALID_ARGUMENT,
               "source 'a' must have sequences to have a weight");
  EXPECT_ERROR(DrawStream(1, {{.name = "a", .sequences = 3}}, 1), STOWAGE_INVALID_ARGUMENT,
               "at least one of 1 weights must be > 0");
  EXPECT_ERROR(DrawStream(1, three_sources(), 0), STOWAGE_INVALID_ARGUMENT, "epochs must be >= 1, got 0");
  EXPECT_ERROR(DrawStream(1, {{.name = "a", .sequences = half, .weight = 1.0}}, 2), STOWAGE_INVALID_ARGUMENT,
               "sequences times epochs of a source overflows");
}

TEST(DrawStream, RefusesAStateThatCannotBelongToItsSources) {
  DrawStream stream(1, three_sources(), 1);
  const auto with = [](std::uint64_t position, std::vector<std::uint64_t> drawn, std::vector<std::uint64_t> base) {
    DrawState state;
    state.position = position;
    state.drawn = std::move(drawn);
    state.stage_base = std::move(base);
    return state;
  };
  const DrawState before = stream.state();

  EXPECT_ERROR(stream.restore(with(0, {0, 0}, {0, 0})), STOWAGE_INVALID_ARGUMENT, "must have 3 sources, got 2");
  EXPECT_ERROR(stream.restore(with(5, {2, 1, 1}, {0, 0, 0})), STOWAGE_INVALID_ARGUMENT,
               "says 5 draws, but its sources gave 4");
  EXPECT_ERROR(stream.restore(with(6, {6, 0, 0}, {6, 0, 0})), STOWAGE_INVALID_ARGUMENT,
               "source 'books' with 5 sequences");
  EXPECT_ERROR(stream.restore(with(10, {5, 3, 2}, {0, 0, 0})), STOWAGE_INVALID_ARGUMENT,
               "source 'books' with 5 sequences");
  EXPECT_ERROR(stream.restore(with(4, {0, 4, 0}, {0, 0, 0})), STOWAGE_INVALID_ARGUMENT,
               "cannot have given 0 of 4 draws");
  EXPECT_EQ(stream.state(), before);
}

}  // namespace
}  // namespace stowage::mixture
