// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "plan/bounds.hpp"
#include "plan/cost_table.hpp"
#include "plan/lengths.hpp"
#include "plan/measure.hpp"
#include "plan/presets.hpp"
#include "support/errors.hpp"

namespace stowage::plan::test {
namespace {

TEST(Presets, FollowThePublishedFormula) {
  // 72 B s l h^2 (1 + s/6h + V/12lh) without recomputation, B = 1, of GPT-3 175B.
  const double l = 96;
  const double h = 12288;
  const double v = 50257;
  const double s = 2048;

  const CostModel cost = preset_cost("gpt3-175b");

  const double published = 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
  EXPECT_NEAR(cost(2048) / published, 1.0, 1e-12);
}

TEST(Presets, OfHiddenSize4096HaveTheDefaultRatio) {
  const LanguageShape shape = {"plain", 1, 4096, 32, 32, 16384, false, 0};

  const CostModel cost = cost_of(shape);

  EXPECT_DOUBLE_EQ(cost.linear / cost.quadratic, CostModel{}.linear / CostModel{}.quadratic);
}

TEST(Presets, AddAVisionEncoder) {
  EXPECT_EQ(preset_cost("llama3-8b").tile, 0.0);
  EXPECT_GT(preset_cost("llama3-8b+internvit-6b").tile, preset_cost("llama3-8b+internvit-300m").tile);
}

TEST(Presets, NameWhatThereIs) {
  EXPECT_ERROR(preset_cost("llama9"), STOWAGE_INVALID_ARGUMENT,
               "unknown language preset 'llama9'; there are gpt3-175b");
  EXPECT_ERROR(preset_cost("llama3-8b+eye"), STOWAGE_INVALID_ARGUMENT, "unknown vision preset 'eye'");
}

TEST(CostTable, FitRecoversWhatMadeTheTable) {
  EXPECT_TRUE(rc::check([] {
    const CostModel made{*rc::gen::element(0.0, 1e-6, 3e-5), *rc::gen::element(1e-10, 1e-9), 0.0,
                         *rc::gen::element(0.0, 0.002), 0.0};
    std::vector<CostSample> samples;
    for (const std::uint32_t tokens : {128U, 1024U, 4096U, 16384U, 65536U}) {
      samples.push_back({tokens, made.per_micro_batch + made(tokens)});
    }

    const CostModel fitted = fit_cost(samples);

    for (const CostSample& sample : samples) {
      RC_ASSERT(std::abs((fitted.per_micro_batch + fitted(sample.tokens)) / sample.seconds - 1.0) < 1e-6);
    }
    RC_ASSERT(fitted.linear >= 0.0 && fitted.quadratic >= 0.0 && fitted.per_micro_batch >= 0.0);
  }));
}

TEST(CostTable, IsReadByColumnName) {
  const auto samples = parse_cost_table("gpu,seconds,tokens\r\na,0.5,100\r\n\r\nb,1.25,200\r\n", "times.csv");

  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[1].tokens, 200U);
  EXPECT_EQ(samples[1].seconds, 1.25);
}

TEST(CostTable, NamesWhatIsWrong) {
  EXPECT_ERROR(parse_cost_table("a,b\n1,2\n", "t.csv"), STOWAGE_DATA_ERROR, "t.csv:1: expected a column 'tokens'");
  EXPECT_ERROR(parse_cost_table("tokens,seconds\n1,x\n", "t.csv"), STOWAGE_DATA_ERROR,
               "t.csv:2: column seconds must hold a number");
  EXPECT_ERROR(parse_cost_table("tokens,seconds\n1\n", "t.csv"), STOWAGE_DATA_ERROR,
               "t.csv:2: expected 2 fields, found 1");
  const std::vector<CostSample> two = {{1, 1.0}, {2, 2.0}, {2, 2.5}};
  EXPECT_ERROR(fit_cost(two), STOWAGE_INVALID_ARGUMENT, "at least 3 different lengths, got 2");
  const std::vector<CostSample> zero = {{1, 1.0}, {2, 0.0}, {3, 2.5}};
  EXPECT_ERROR(fit_cost(zero), STOWAGE_INVALID_ARGUMENT, "must be above 0, got 0 s for 2 tokens");
}

TEST(BinCountBound, CountsWhatCannotShare) {
  EXPECT_EQ(bin_count_bound(Lengths{}, 10), 0U);
  EXPECT_EQ(bin_count_bound(Lengths{0, 0}, 10), 1U);
  EXPECT_EQ(bin_count_bound(Lengths{6, 6, 6}, 10), 3U);
  EXPECT_EQ(bin_count_bound(Lengths{4, 4, 4, 4, 4}, 10), 3U);
  EXPECT_EQ(bin_count_bound(Lengths{7, 7, 4, 4}, 10), 3U);
}

TEST(MakespanBound, GrowsWithWorkAndFallsWithReplicas) {
  EXPECT_TRUE(rc::check([] {
    auto lengths = *rc::gen::container<Lengths>(20, rc::gen::inRange<std::uint32_t>(1, 5000));
    const auto replicas = *rc::gen::inRange<std::size_t>(1, 9);
    const auto bound = [](const Lengths& of, std::size_t bins) {
      const Request request = request_for(of, 1, 1);
      const Items items = sorted_items(request);
      return makespan_bound(items, std::vector<BinShape>(bins)) * items.unit;
    };
    const double before = bound(lengths, replicas);

    RC_ASSERT(bound(lengths, replicas + 1) <= before * (1 + 1e-9));
    lengths.push_back(*rc::gen::inRange<std::uint32_t>(1, 5000));
    RC_ASSERT(bound(lengths, replicas) >= before * (1 - 1e-9));
  }));
}

TEST(Ratios, FollowTheirFormulas) {
  EXPECT_DOUBLE_EQ(dist_ratio(std::vector<double>{4, 2, 3}), (0.0 + 2.0 + 1.0) / (4.0 * 3.0));
  EXPECT_DOUBLE_EQ(pad_ratio(std::vector<double>{10, 5}), 5.0 / 20.0);
  EXPECT_EQ(dist_ratio({}), 0.0);
  EXPECT_EQ(dist_ratio(std::vector<double>{0, 0}), 0.0);
}

}  // namespace
}  // namespace stowage::plan::test
