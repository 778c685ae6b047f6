// SPDX-License-Identifier: Apache-2.0
#include "mixture/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace stowage::mixture {
namespace {

__extension__ typedef __int128 Wide;

// The rule without heaps, scale or state: of the sources whose next draw is released, the one with the earliest
// deadline, found by looking at all of them. Integer weights.
class PlainSchedule {
 public:
  explicit PlainSchedule(std::vector<std::uint64_t> weights) : weights_(std::move(weights)), given_(weights_.size()) {
    for (const std::uint64_t weight : weights_) total_ += weight;
  }

  std::uint32_t next() {
    std::optional<std::size_t> best;
    Wide best_deadline = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0) continue;
      const Wide weight = weights_[i];
      const Wide release = Wide{given_[i]} * total_ / weight;
      const Wide deadline = ((Wide{given_[i]} + 1) * total_ + weight - 1) / weight;
      if (release <= Wide{position_} && (!best || deadline < best_deadline)) {
        best = i;
        best_deadline = deadline;
      }
    }
    ++position_;
    ++given_.at(best.value());
    return static_cast<std::uint32_t>(*best);
  }

 private:
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint64_t> given_;
  Wide total_ = 0;
  std::uint64_t position_ = 0;
};

std::vector<double> as_doubles(const std::vector<std::uint64_t>& weights) {
  return {weights.begin(), weights.end()};
}

// Sizes 1 to 300; weights log-uniform over six orders of magnitude, every tenth source disabled, one never.
std::vector<std::uint64_t> random_weights() {
  const auto size = *rc::gen::inRange<std::size_t>(1, 301);
  auto weights = *rc::gen::container<std::vector<std::uint64_t>>(
      size, rc::gen::exec([] {
        if (*rc::gen::inRange(0, 10) == 0) return std::uint64_t{0};
        const int magnitude = *rc::gen::inRange(0, 6);
        const auto digits = static_cast<double>(*rc::gen::inRange(100, 1000));
        return static_cast<std::uint64_t>(digits * std::pow(10.0, magnitude) / 100.0);
      }));
  if (std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}) == 0) weights[size / 2] = 1;
  return weights;
}

// The source that is a whole draw or more from its share, if any.
std::optional<std::string> off_its_share(const std::vector<std::uint64_t>& weights, const Schedule& schedule) {
  Wide total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Wide off = Wide{schedule.given()[i]} * total - Wide{schedule.position()} * Wide{weights[i]};
    if (off >= total || off <= -total) {
      return fmt::format("source {} of weight {} gave {} of {}", i, weights[i], schedule.given()[i],
                         schedule.position());
    }
  }
  return std::nullopt;
}

RC_GTEST_PROP(ScheduleProperty, EverySourceStaysWithinOneDrawOfItsShare, ()) {
  const std::vector<std::uint64_t> weights = random_weights();
  Schedule schedule(as_doubles(weights));

  for (int n = 0; n < 3000; ++n) {
    schedule.next();
    const auto problem = off_its_share(weights, schedule);
    if (problem) RC_FAIL(*problem);
  }
}

RC_GTEST_PROP(ScheduleProperty, HeapsGiveWhatThePlainRuleGives, ()) {
  const std::vector<std::uint64_t> weights = random_weights();
  Schedule schedule(as_doubles(weights));
  PlainSchedule plain(weights);

  for (int n = 0; n < 1000; ++n) RC_ASSERT(schedule.next() == plain.next());
}

RC_GTEST_PROP(ScheduleProperty, PowersOfTwoAndDisabledSourcesChangeNothing, ()) {
  const std::vector<std::uint64_t> weights = random_weights();
  const int exponent = *rc::gen::inRange(-900, 900);
  std::vector<double> scaled = as_doubles(weights);
  for (double& weight : scaled) weight = std::ldexp(weight, exponent);
  scaled.push_back(0.0);
  Schedule schedule(as_doubles(weights));
  Schedule other(scaled);

  for (int n = 0; n < 500; ++n) RC_ASSERT(schedule.next() == other.next());
}

RC_GTEST_PROP(ScheduleProperty, RestoreContinuesIdentically, ()) {
  const std::vector<std::uint64_t> weights = random_weights();
  const int before = *rc::gen::inRange(0, 2000);
  Schedule schedule(as_doubles(weights));
  for (int n = 0; n < before; ++n) schedule.next();
  Schedule restored(as_doubles(weights));

  restored.restore(schedule.given());

  RC_ASSERT(restored.position() == schedule.position());
  for (int n = 0; n < 500; ++n) RC_ASSERT(restored.next() == schedule.next());
}

TEST(Schedule, SharesThatAreNotIntegersAreKeptForAMillionDraws) {
  const std::vector<double> weights{0.1, 0.22, 1.0 / 3.0, 1e-4, 0.78, 0.0};
  const long double sum = 0.1L + 0.22L + 1.0L / 3.0L + 1e-4L + 0.78L;
  Schedule schedule(weights);

  for (int n = 1; n <= 1'000'000; ++n) schedule.next();

  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double off = static_cast<long double>(schedule.given()[i]) - 1e6L * weights[i] / sum;
    EXPECT_LT(std::abs(off), 1.0L + 1e-6L) << "source " << i;
  }
  EXPECT_EQ(schedule.given()[5], 0U);
}

TEST(Schedule, OneSourceGivesEverything) {
  Schedule schedule(std::vector<double>{0.0, 3.5});

  for (int n = 0; n < 1000; ++n) EXPECT_EQ(schedule.next(), 1U);
}

TEST(Schedule, EqualWeightsGoRound) {
  Schedule schedule(std::vector<double>(7, 0.1));

  for (std::uint32_t n = 0; n < 700; ++n) EXPECT_EQ(schedule.next(), n % 7);
}

TEST(Schedule, ThousandsOfSourcesStayWithinOneDraw) {
  std::vector<std::uint64_t> weights;
  for (std::uint64_t i = 0; i < 2500; ++i) weights.push_back(1 + i * i % 9973);
  Schedule schedule(as_doubles(weights));

  std::optional<std::string> problem;
  for (int n = 0; n < 40'000 && !problem; ++n) {
    schedule.next();
    if (n % 16 == 0) problem = off_its_share(weights, schedule);
  }

  EXPECT_FALSE(problem) << *problem;
}

TEST(Schedule, AVanishingWeightNeitherStopsNorDisturbsTheOthers) {
  Schedule schedule(std::vector<double>{1.0, 5e-324, 1.0});

  for (int n = 0; n < 1000; ++n) schedule.next();

  EXPECT_EQ(schedule.given()[0] + schedule.given()[2] + schedule.given()[1], 1000U);
  EXPECT_LE(schedule.given()[1], 1U);
}

TEST(Schedule, KeepsItsBoundAtPositionsNearTheEndOfSixtyFourBits) {
  const std::uint64_t unit = std::uint64_t{1} << 61;
  const std::vector<std::uint64_t> weights{1, 2, 4};
  Schedule schedule(as_doubles(weights));
  const std::vector<std::uint64_t> given{unit, 2 * unit, 4 * unit};  // 7 * 2^61 draws

  schedule.restore(given);

  for (int n = 0; n < 700; ++n) {
    schedule.next();
    EXPECT_EQ(off_its_share(weights, schedule), std::nullopt);
  }
}

TEST(Schedule, ADeadlineBeyondSixtyFourBitsComesLast) {
  Schedule schedule(std::vector<double>{1.0, 5e-324});                        // as integers: 2^60 and 1
  const std::vector<std::uint64_t> given{15 * (std::uint64_t{1} << 60), 15};  // the next deadlines: soon and 2^64 + 16

  schedule.restore(given);

  EXPECT_EQ(schedule.next(), 0U);
}

TEST(Schedule, StreamIsPinned) {
  Schedule schedule(std::vector<double>{0.5, 0.3, 0.2, 0.0, 0.01});

  std::vector<std::uint32_t> first;
  for (int n = 0; n < 24; ++n) first.push_back(schedule.next());

  EXPECT_EQ(first,
            (std::vector<std::uint32_t>{0, 1, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0, 2}));
}

TEST(Schedule, RefusesWeightsThatAreNoShares) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();

  EXPECT_ERROR(Schedule(std::vector<double>{1.0, -0.5}), STOWAGE_INVALID_ARGUMENT,
               "weight of source 1 must be finite and >= 0, got -0.5");
  EXPECT_ERROR(Schedule(std::vector<double>{nan}), STOWAGE_INVALID_ARGUMENT,
               "source 0 must be finite and >= 0, got nan");
  EXPECT_ERROR(Schedule(std::vector<double>{infinity}), STOWAGE_INVALID_ARGUMENT, "finite and >= 0, got inf");
  EXPECT_ERROR(Schedule(std::vector<double>{0.0, 0.0}), STOWAGE_INVALID_ARGUMENT,
               "at least one of 2 weights must be > 0");
  EXPECT_ERROR(Schedule(std::vector<double>{}), STOWAGE_INVALID_ARGUMENT, "at least one of 0 weights must be > 0");
}

TEST(Schedule, RefusesAStateOfOtherWeights) {
  Schedule schedule(std::vector<double>{1.0, 1.0, 0.0});
  const std::vector<std::uint64_t> two_sources{1, 1};
  const std::vector<std::uint64_t> too_uneven{9, 7, 0};
  const std::vector<std::uint64_t> disabled_gave{9, 9, 1};

  EXPECT_ERROR(schedule.restore(two_sources), STOWAGE_INVALID_ARGUMENT, "must have 3 sources, got 2");
  EXPECT_ERROR(schedule.restore(too_uneven), STOWAGE_INVALID_ARGUMENT, "source 0 cannot have given 9 of 16 draws");
  EXPECT_ERROR(schedule.restore(disabled_gave), STOWAGE_INVALID_ARGUMENT, "source 2 cannot have given 1 of 19 draws");
}

}  // namespace
}  // namespace stowage::mixture
