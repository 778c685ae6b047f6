// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/carry_over.hpp"

#include <map>
#include <set>
#include <vector>

#include "support/errors.hpp"

namespace stowage::checkpoint {
namespace {

constexpr std::uint64_t kSeed = 5;

mixture::SourceSpec source(const char* name, std::uint64_t sequences, double weight) {
  return {.name = name, .sequences = sequences, .weight = weight};
}

std::vector<std::string> names(const std::vector<mixture::SourceSpec>& sources) {
  std::vector<std::string> all;
  for (const mixture::SourceSpec& one : sources) all.push_back(one.name);
  return all;
}

using Visits =
    std::map<std::string, std::vector<std::pair<std::uint64_t, std::uint64_t>>>;  // epoch, sequence; by source

void take(mixture::DrawStream& stream, const std::vector<mixture::SourceSpec>& sources, std::uint64_t count,
          Visits& visits) {
  for (std::uint64_t n = 0; n < count; ++n) {
    const auto draw = stream.next();
    if (!draw) return;
    visits[sources[draw->source].name].emplace_back(draw->epoch, draw->sequence);
  }
}

// What a source gives in its own order when it is alone.
std::vector<std::pair<std::uint64_t, std::uint64_t>> alone(const mixture::SourceSpec& spec, std::uint64_t count) {
  const std::vector<mixture::SourceSpec> one{source(spec.name.c_str(), spec.sequences, 1.0)};
  mixture::DrawStream stream(kSeed, one, std::nullopt);
  Visits visits;
  take(stream, one, count, visits);
  return visits[spec.name];
}

// Draws under `before`, then goes on under `after`.
Visits changed_after(std::uint64_t draws, const std::vector<mixture::SourceSpec>& before,
                     const std::vector<mixture::SourceSpec>& after, std::optional<std::uint64_t> epochs,
                     std::uint64_t more) {
  Visits visits;
  mixture::DrawStream first(kSeed, before, epochs);
  take(first, before, draws, visits);
  IteratorState state;
  state.draws = first.state();
  state.counts.resize(before.size());
  mixture::DrawStream second(kSeed, after, epochs);
  second.restore(carry_over(state, names(before), names(after)).draws);
  take(second, after, more, visits);
  return visits;
}

TEST(CarryOver, ChangedWeightsNeitherSkipNorRepeatInAnySource) {
  const std::vector<mixture::SourceSpec> before{source("a", 40, 1), source("b", 30, 1)};
  const std::vector<mixture::SourceSpec> after{source("a", 40, 2), source("b", 30, 1)};

  for (const std::uint64_t draws : {0U, 1U, 7U, 61U, 100U}) {
    const Visits visits = changed_after(draws, before, after, std::nullopt, 90);

    for (const mixture::SourceSpec& one : after) {
      EXPECT_EQ(visits.at(one.name), alone(one, visits.at(one.name).size())) << one.name << " after " << draws;
    }
    EXPECT_NEAR(static_cast<double>(visits.at("a").size()), static_cast<double>(draws) / 2 + 60, 1.5);
  }
}

TEST(CarryOver, AnAddedSourceBeginsAtItsFirstEpochWhereverItStandsInTheList) {
  const std::vector<mixture::SourceSpec> before{source("a", 40, 1), source("b", 30, 1)};
  const std::vector<mixture::SourceSpec> after{source("new", 9, 1), source("b", 30, 1), source("a", 40, 1)};

  const Visits visits = changed_after(33, before, after, std::nullopt, 60);

  for (const mixture::SourceSpec& one : after) {
    EXPECT_EQ(visits.at(one.name), alone(one, visits.at(one.name).size())) << one.name;
  }
  EXPECT_NEAR(static_cast<double>(visits.at("new").size()), 20, 1);
}

TEST(CarryOver, ADisabledSourceStopsAndMayComeBack) {
  const std::vector<mixture::SourceSpec> both{source("a", 10, 1), source("b", 30, 1)};
  const std::vector<mixture::SourceSpec> without{source("a", 10, 1), source("b", 0, 0)};
  IteratorState state;
  mixture::DrawStream stream(kSeed, both, 1);
  Visits visits;
  take(stream, both, 7, visits);
  state.draws = stream.state();
  state.counts.resize(2);

  mixture::DrawStream alone(kSeed, without, 1);
  alone.restore(carry_over(state, names(both), names(without)).draws);
  take(alone, without, 3, visits);
  state.draws = alone.state();
  EXPECT_EQ(alone.total(), 10U + state.draws.drawn[1]);

  mixture::DrawStream again(kSeed, both, 1);
  again.restore(carry_over(state, names(without), names(both)).draws);
  take(again, both, 1000, visits);

  for (const mixture::SourceSpec& one : both) {
    const auto& seen = visits.at(one.name);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), one.sequences);
    EXPECT_EQ(seen.size(), one.sequences);
  }
}

TEST(CarryOver, EveryEpochStaysWholeWhenWeightsChangeAfterASourceIsExhausted) {
  const std::vector<mixture::SourceSpec> before{source("a", 4, 3), source("b", 30, 1), source("c", 20, 1)};
  const std::vector<mixture::SourceSpec> after{source("a", 4, 1), source("b", 30, 1), source("c", 20, 7)};

  const Visits visits = changed_after(20, before, after, 1, 1000);

  for (const mixture::SourceSpec& one : after) EXPECT_EQ(visits.at(one.name).size(), one.sequences) << one.name;
}

TEST(CarryOver, MovesCountsAndWaitingSequencesWithTheirSources) {
  IteratorState state;
  state.step = 3;
  state.draws = {.position = 7, .drawn = {4, 3}, .stage_base = {0, 0}};
  state.counts = {{.drawn = 4}, {.drawn = 3}};
  state.deferred = {{.draw = {.position = 5, .source = 1}, .waited = 1}};
  const std::vector<std::string> then{"a", "b"};
  const std::vector<std::string> now{"b", "x", "a"};

  const IteratorState carried = carry_over(state, then, now);

  EXPECT_EQ(carried.step, 3U);
  EXPECT_EQ(carried.draws, (mixture::DrawState{.position = 7, .drawn = {3, 0, 4}, .stage_base = {3, 0, 4}}));
  EXPECT_EQ(carried.counts[0].drawn, 3U);
  EXPECT_EQ(carried.counts[2].drawn, 4U);
  EXPECT_EQ(carried.deferred[0].draw.source, 0U);
}

TEST(CarryOver, NamesASourceThatIsGone) {
  IteratorState state;
  state.draws = {.position = 0, .drawn = {0, 0}, .stage_base = {0, 0}};
  state.counts.resize(2);
  const std::vector<std::string> then{"a", "b"};
  const std::vector<std::string> now{"a"};

  EXPECT_ERROR(carry_over(state, then, now), STOWAGE_CONFIG_ERROR,
               "source 'b' is in the checkpoint and not in the configuration; keep it there with weight 0");
}

}  // namespace
}  // namespace stowage::checkpoint
