// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/ledger.hpp"

#include <vector>

#include "support/errors.hpp"

namespace stowage::checkpoint {
namespace {

mixture::DrawStream two_sources() {
  return {
      1, {{.name = "a", .sequences = 10, .weight = 2.0}, {.name = "b", .sequences = 7, .weight = 1.0}}, std::nullopt};
}

IteratorState start_of(const mixture::DrawStream& draws) {
  IteratorState state;
  state.draws = draws.state();
  state.counts.resize(2);
  return state;
}

// What step `step` did: as many draws as its number says, one sequence of each source delivered, one waiting.
StepDelta delta_of(std::uint64_t step) {
  StepDelta delta;
  delta.draws = step + 1;
  delta.deferred = {{.draw = {.position = step, .sequence = step}, .waited = 1}};
  delta.counts = {{0, {.drawn = step + 1, .delivered = 1}}, {1, {.tokens = 5}}};
  delta.plan = {.high = step, .low = 1};
  return delta;
}

// The states before steps 0 to `steps`, each made from the one before.
std::vector<IteratorState> states(std::uint64_t steps) {
  mixture::DrawStream draws = two_sources();
  std::vector<IteratorState> all{start_of(draws)};
  for (std::uint64_t s = 0; s < steps; ++s) {
    IteratorState next = all.back();
    for (std::uint64_t d = 0; d <= s; ++d) draws.next();
    next.step = s + 1;
    next.draws = draws.state();
    next.deferred = delta_of(s).deferred;
    next.counts[0].drawn += s + 1;
    next.counts[0].delivered += 1;
    next.counts[1].tokens += 5;
    next.plans = chain(next.plans, delta_of(s).plan);
    all.push_back(next);
  }
  return all;
}

TEST(Ledger, KnowsTheStateBeforeEveryStepItRemembers) {
  const std::uint64_t steps = Ledger::kRemembered + 20;
  const std::vector<IteratorState> expected = states(steps);
  Ledger ledger(two_sources(), start_of(two_sources()));
  for (std::uint64_t s = 0; s < steps; ++s) ledger.produced(delta_of(s));

  ledger.commit(steps - 5);

  EXPECT_EQ(ledger.committed(), steps - 5);
  EXPECT_EQ(ledger.produced_steps(), steps);
  EXPECT_EQ(ledger.first_known(), 15U);
  EXPECT_EQ(ledger.state(), expected[steps - 5]);
  for (std::uint64_t s = ledger.first_known(); s <= steps; ++s) EXPECT_EQ(ledger.state_at(s), expected[s]) << s;
}

TEST(Ledger, GoesOnFromAStateInTheMiddle) {
  const std::vector<IteratorState> expected = states(9);
  mixture::DrawStream draws = two_sources();
  draws.restore(expected[4].draws);
  Ledger ledger(std::move(draws), expected[4]);
  for (std::uint64_t s = 4; s < 9; ++s) ledger.produced(delta_of(s));

  ledger.commit(9);

  EXPECT_EQ(ledger.state(), expected[9]);
  EXPECT_EQ(ledger.state_at(4), expected[4]);
}

TEST(Ledger, CommitsNoFurtherThanWasProducedAndNeverBack) {
  Ledger ledger(two_sources(), start_of(two_sources()));
  ledger.produced(delta_of(0));
  ledger.produced(delta_of(1));

  ledger.commit(2);
  ledger.commit(1);
  EXPECT_EQ(ledger.committed(), 2U);

  ledger.commit(100);
  EXPECT_EQ(ledger.committed(), 2U);
}

TEST(Ledger, RefusesStepsThatItDoesNotKnow) {
  mixture::DrawStream draws = two_sources();
  IteratorState start = start_of(draws);
  start.step = 5;
  Ledger ledger(std::move(draws), start);
  ledger.produced(delta_of(5));

  EXPECT_ERROR(ledger.state_at(4), STOWAGE_STATE_ERROR,
               "the state before step 4 is not known: only those before steps 5 to 6 are");
  EXPECT_ERROR(ledger.state_at(7), STOWAGE_STATE_ERROR, "the state before step 7 is not known");
}

}  // namespace
}  // namespace stowage::checkpoint
