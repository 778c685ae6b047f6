// SPDX-License-Identifier: Apache-2.0
// Steps with vision tiles: both phases even in every iteration, no sample dropped.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "plan/lengths.hpp"
#include "plan/methods.hpp"
#include "plan/ratios.hpp"
#include "plan/tile_slots.hpp"
#include "support/errors.hpp"

namespace stowage::plan::test {
namespace {

TEST(TileSlots, GiveEveryMicroBatchOfAnIterationTheSameTiles) {
  std::vector<std::uint32_t> tiles(60, 3);
  tiles.insert(tiles.end(), 36, 5);  // 360 tiles: 45 for each of 8 replicas

  const TileSlots slots(tiles, 8, 3);

  for (std::size_t iteration = 0; iteration < 3; ++iteration) {
    const auto tiles_of = [&](std::size_t b) { return 3 * slots.open(b, 0) + 5 * slots.open(b, 1); };
    for (std::size_t r = 1; r < 8; ++r) EXPECT_EQ(tiles_of(iteration * 8 + r), tiles_of(iteration * 8));
  }
}

TEST(TileSlots, HoldEverySample) {
  EXPECT_TRUE(rc::check([] {
    const auto tiles =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 13)));
    const auto replicas = *rc::gen::inRange<std::size_t>(1, 6);
    const auto iterations = *rc::gen::inRange<std::size_t>(1, 5);

    const TileSlots slots(tiles, replicas, iterations);

    std::int64_t held = 0;
    for (std::size_t b = 0; b < replicas * iterations; ++b) {
      for (std::size_t c = 0; c < slots.classes(); ++c) {
        RC_ASSERT(slots.open(b, c) >= 0);
        held += slots.open(b, c);
      }
    }
    RC_ASSERT(held == static_cast<std::int64_t>(tiles.size()));
  }));
}

TEST(VisionPlans, AreSoundAndKeepTheTileCap) {
  EXPECT_TRUE(rc::check([] {
    const auto count = *rc::gen::inRange<std::size_t>(0, 80);
    const auto lengths = *rc::gen::container<Lengths>(count, rc::gen::inRange<std::uint32_t>(0, 1000));
    const auto tiles = *rc::gen::container<Lengths>(count, rc::gen::inRange<std::uint32_t>(0, 7));
    Request request = request_for(lengths, *rc::gen::inRange<std::uint32_t>(1, 9), 2000);
    request.vision_tiles = tiles;
    request.tile_cap = *rc::gen::element<std::uint32_t>(0, 6, 20);

    const Plan plan = make_plan(request);

    Lengths held = plan.order;
    std::sort(held.begin(), held.end());
    for (std::uint32_t i = 0; i < held.size(); ++i) RC_ASSERT(held[i] == i);
    RC_ASSERT(held.size() == count);
    for (std::uint32_t m = 0; m < plan.micro_batches(); ++m) {
      std::uint64_t sum = 0;
      for (const std::uint32_t i : plan.sequences(m)) sum += tiles[i];
      RC_ASSERT(request.tile_cap == 0 || sum <= request.tile_cap);
      RC_ASSERT(padded_tokens(request, plan, m) <= request.cap);
    }
    for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
      RC_ASSERT(plan.replica_begin[r + 1] - plan.replica_begin[r] == plan.replica_begin[1]);
    }
  }));
}

TEST(VisionPlans, NeverBeatTheBoundOfWholeTilesAndSamples) {
  EXPECT_TRUE(rc::check([] {
    const auto replicas = *rc::gen::inRange<std::uint32_t>(1, 7);
    const auto count = replicas * *rc::gen::inRange<std::size_t>(1, 9);
    const auto lengths = *rc::gen::container<Lengths>(count, rc::gen::inRange<std::uint32_t>(100, 900));
    const auto tiles = *rc::gen::container<Lengths>(count, rc::gen::element<std::uint32_t>(1, 3, 5));
    Request request = request_for(lengths, replicas, *rc::gen::inRange<std::uint32_t>(900, 5000));
    request.vision_tiles = tiles;

    const Plan plan = make_plan(request);

    const PhaseRatios bounds = phase_ratio_bounds(request, plan.replica_begin[1]);
    RC_ASSERT(phase_ratios(request, plan).vision >= bounds.vision - 1e-12);
    RC_ASSERT(phase_ratios(request, plan).language >= bounds.language - 1e-12);
  }));
}

TEST(VisionPlans, RefuseTilesThatDoNotFit) {
  const Lengths lengths = {1, 2};
  const Lengths tiles = {1, 9};
  Request request = request_for(lengths, 1, 10);
  request.vision_tiles = tiles;
  request.tile_cap = 8;

  EXPECT_ERROR(make_plan(request), STOWAGE_INVALID_ARGUMENT,
               "sequence 1 of the step has 9 vision tiles, but a micro-batch holds 8");
}

TEST(VisionPlans, AreNearTheirBoundsAndBelowIterativeGrouping) {
  for (const char* file : {"ai2d_train_12k", "docvqa_train_10k", "synthdog_en"}) {
    const std::string path = std::string("vlm-lengths/") + file + ".csv";
    const Lengths all_tokens = real_lengths(path, {"tokens"});
    const Lengths all_tiles = real_lengths(path, {"vision_tiles"});
    SKIP_WITHOUT(all_tokens);
    for (const std::uint32_t replicas : {8U, 16U, 32U}) {
      PhaseRatios ours;
      PhaseRatios bounds;
      PhaseRatios grouped;
      constexpr int kSteps = 4;
      for (std::uint64_t step = 0; step < kSteps; ++step) {
        const Lengths tokens = sampled(all_tokens, 16 * replicas, step);
        const Lengths tiles = sampled(all_tiles, 16 * replicas, step);
        Request request = request_for(tokens, replicas, 8192);
        request.vision_tiles = tiles;

        const Plan plan = make_plan(request);

        EXPECT_EQ(plan.order.size(), tokens.size());
        const PhaseRatios one = phase_ratios(request, plan);
        const PhaseRatios bound = phase_ratio_bounds(request, plan.replica_begin[1]);
        const PhaseRatios other = phase_ratios(request, method("omnibal").plan(request));
        ours.vision += one.vision / kSteps;
        ours.language += one.language / kSteps;
        bounds.vision += bound.vision / kSteps;
        bounds.language += bound.language / kSteps;
        grouped.vision += other.vision / kSteps;
        grouped.language += other.language / kSteps;
      }
      EXPECT_LE(ours.vision, bounds.vision + 0.01) << file << " on " << replicas;
      EXPECT_LE(ours.language, bounds.language + 0.01) << file << " on " << replicas;
      EXPECT_LE(ours.vision + ours.language, grouped.vision + grouped.language) << file << " on " << replicas;
    }
  }
}

}  // namespace
}  // namespace stowage::plan::test
