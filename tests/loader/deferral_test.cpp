// SPDX-License-Identifier: Apache-2.0
// Outliers that wait for a later step: in StepStream, on real files.
#include <algorithm>
#include <map>

#include "loader/step_stream.hpp"
#include "source/writer.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::loader {
namespace {

class DeferralTest : public testing::Test {
 protected:
  DeferralTest() {
    config_.data_parallel = 4;
    config_.micro_batch.tokens = 600;
    config_.epochs = 2;
    config_.natural_weights = true;
    config_.batch.sequences = 9;
    config_.cost = {.linear = 1.0, .quadratic = 1.0};
    add_source("short", 101, 40);
    add_source("mixed", 57, 600);
  }

  // Lengths from 0 to `longest`, few of them long.
  void add_source(const std::string& name, std::uint64_t sequences, std::uint64_t longest) {
    source::WriterOptions options;
    options.type = source::TokenType::u16;
    options.vocab_size = 100;
    const auto writer = source::make_megatron_writer(folder_.file(name), options);
    for (std::uint64_t s = 0; s < sequences; ++s) {
      const std::uint64_t length = s % 6 == 0 ? longest - s / 3 : s % 37;
      writer->add(std::vector<std::uint32_t>(length, 1));
      writer->end_document();
    }
    writer->close();
    config::Source& source = config_.sources.emplace_back();
    source.name = name;
    source.paths = {folder_.file(name)};
    source.over_long = config::OverLong::split;
  }

  std::vector<StepBatch> steps(std::uint32_t defer) {
    config_.defer.steps = defer;
    if (!catalogue_) catalogue_ = Catalogue::open_or_throw(config_, *team_);
    return steps_from(beginning(config_, *catalogue_));
  }

  std::vector<StepBatch> steps_from(const checkpoint::IteratorState& start) {
    StepStream stream(config_, *catalogue_, *team_, start);
    std::vector<StepBatch> all;
    while (auto batch = stream.next()) all.push_back(std::move(*batch));
    return all;
  }

  test::TemporaryFolder folder_;
  config::Config config_;
  std::unique_ptr<exchange::Team> team_ = exchange::make_solo_team();
  std::optional<Catalogue> catalogue_;
};

// Which step delivers the piece of a draw.
using Places = std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t>;

Places places(const std::vector<StepBatch>& steps) {
  Places all;
  for (const StepBatch& step : steps) {
    for (const Segment& segment : step.segments) {
      EXPECT_TRUE(all.try_emplace({segment.draw.position, segment.piece.number}, step.step).second)
          << "position " << segment.draw.position << " is delivered twice";
    }
  }
  return all;
}

TEST_F(DeferralTest, DeliversEverySequenceOnceAndAtMostSoManyStepsLate) {
  const Places on_time = places(steps(0));

  for (const std::uint32_t most : {1U, 3U, 8U}) {
    const std::vector<StepBatch> deferred = steps(most);

    const Places late = places(deferred);
    ASSERT_EQ(late.size(), on_time.size()) << most;
    std::uint64_t latest = 0;
    for (const auto& [piece, step] : on_time) {
      ASSERT_GE(late.at(piece), step);
      latest = std::max(latest, late.at(piece) - step);
    }
    EXPECT_GT(latest, 0U) << most;
    EXPECT_LE(latest, most);
  }
}

TEST_F(DeferralTest, ChangesNeitherTheNumberOfStepsNorWhatAStepDraws) {
  const std::vector<StepBatch> on_time = steps(0);

  const std::vector<StepBatch> late = steps(5);

  ASSERT_EQ(late.size(), on_time.size());
  for (std::size_t s = 0; s < late.size(); ++s) {
    EXPECT_EQ(late[s].delta.draws, on_time[s].delta.draws);
    EXPECT_FALSE(late[s].segments.empty());
  }
  EXPECT_TRUE(late.back().delta.deferred.empty());
}

TEST_F(DeferralTest, CountsWhatIsDeliveredInTheStepThatDeliversIt) {
  std::vector<checkpoint::SourceCount> counts(2);

  const std::vector<StepBatch> late = steps(4);

  for (const StepBatch& step : late) {
    for (const checkpoint::StepDelta::Count& one : step.delta.counts) counts[one.source] += one.count;
    std::uint64_t waiting = 0;
    for (const checkpoint::SourceCount& count : counts) waiting += count.drawn - count.delivered;
    ASSERT_EQ(waiting, step.delta.deferred.size()) << "after step " << step.step;
  }
  EXPECT_EQ(counts[0].delivered, 2 * 101U);
  EXPECT_EQ(counts[1].delivered, 2 * 57U);
}

TEST_F(DeferralTest, GoesOnFromTheStateAfterAnyStep) {
  const std::vector<StepBatch> whole = steps(4);
  checkpoint::IteratorState state = beginning(config_, *catalogue_);
  mixture::DrawStream draws = draw_stream(config_, *catalogue_, state.draws);

  for (std::size_t s = 0; s < whole.size(); ++s) {
    const std::vector<StepBatch> rest = steps_from(state);

    ASSERT_EQ(rest.size(), whole.size() - s);
    for (std::size_t r = 0; r < rest.size(); ++r) {
      EXPECT_EQ(rest[r].step, s + r);
      EXPECT_EQ(places({rest[r]}), places({whole[s + r]}));
      EXPECT_EQ(rest[r].delta.deferred, whole[s + r].delta.deferred);
    }
    for (std::uint64_t d = 0; d < whole[s].delta.draws; ++d) draws.next();
    state.step = s + 1;
    state.draws = draws.state();
    state.deferred = whole[s].delta.deferred;
  }
}

TEST_F(DeferralTest, TheLastStepOfAFixedNumberDeliversAllThatWaits) {
  config_.epochs.reset();
  config_.steps = 17;

  const std::vector<StepBatch> late = steps(100);

  EXPECT_EQ(late.size(), 17U);
  EXPECT_TRUE(late.back().delta.deferred.empty());
  EXPECT_EQ(places(late).size(), places(steps(0)).size());
}

TEST_F(DeferralTest, AStepThatDropsTheIncompleteBatchIsPrecededByOneThatDeliversAll) {
  config_.batch.last = config::LastBatch::drop;
  config_.batch.sequences = 13;

  const std::vector<StepBatch> late = steps(100);

  EXPECT_TRUE(late.back().delta.deferred.empty());
  EXPECT_EQ(places(late).size(), places(steps(0)).size());
}

TEST_F(DeferralTest, BatchesMeasuredInTokensDeferToo) {
  config_.batch.sequences = 0;
  config_.batch.tokens = 900;

  const std::vector<StepBatch> late = steps(3);

  for (const StepBatch& step : late) EXPECT_FALSE(step.segments.empty());
  EXPECT_TRUE(late.back().delta.deferred.empty());
  EXPECT_EQ(places(late).size(), places(steps(0)).size());
}

}  // namespace
}  // namespace stowage::loader
