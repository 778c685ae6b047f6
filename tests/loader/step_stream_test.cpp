// SPDX-License-Identifier: Apache-2.0
#include "loader/step_stream.hpp"

#include <map>

#include "source/writer.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::loader {
namespace {

// Sources made of sequences of given lengths, in real files.
class StepStreamTest : public testing::Test {
 protected:
  StepStreamTest() {
    config_.data_parallel = 1;
    config_.micro_batch.tokens = 10;
    config_.epochs = 1;
    config_.natural_weights = true;
  }

  config::Source& add_source(const std::string& name, const std::vector<std::uint32_t>& lengths) {
    source::WriterOptions options;
    options.type = source::TokenType::u16;
    options.vocab_size = 100;
    const auto writer = source::make_megatron_writer(folder_.file(name), options);
    for (const std::uint32_t length : lengths) {
      writer->add(std::vector<std::uint32_t>(length, 1));
      writer->end_document();
    }
    writer->close();
    config::Source& source = config_.sources.emplace_back();
    source.name = name;
    source.paths = {folder_.file(name)};
    return source;
  }

  // The tokens of the segments of every step.
  std::vector<std::vector<std::uint32_t>> steps() {
    catalogue_ = Catalogue::open_or_throw(config_, *team_);
    StepStream stream(config_, *catalogue_, *team_, beginning(config_, *catalogue_));
    counts_.assign(config_.sources.size(), {});
    std::vector<std::vector<std::uint32_t>> all;
    while (const auto batch = stream.next()) {
      EXPECT_EQ(batch->step, all.size());
      all.emplace_back();
      add(batch->delta);
      for (const Segment& segment : batch->segments) all.back().push_back(segment.piece.tokens);
    }
    add(stream.rest());
    return all;
  }

  void add(const checkpoint::StepDelta& delta) {
    for (const checkpoint::StepDelta::Count& one : delta.counts) counts_[one.source] += one.count;
  }

  std::uint64_t dropped(checkpoint::Reason reason) const {
    return counts_[0].dropped[static_cast<std::size_t>(reason)];
  }

  test::TemporaryFolder folder_;
  config::Config config_;
  std::unique_ptr<exchange::Team> team_ = exchange::make_solo_team();
  std::optional<Catalogue> catalogue_;
  std::vector<checkpoint::SourceCount> counts_;
};

using Steps = std::vector<std::vector<std::uint32_t>>;

TEST_F(StepStreamTest, CutsTheDrawnOrderIntoBatchesOfSequences) {
  add_source("a", {1, 2, 3, 4, 5}).order = config::Order::sequential;
  config_.batch.sequences = 2;

  EXPECT_EQ(steps(), (Steps{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(count_steps(config_, *catalogue_, beginning(config_, *catalogue_)), 3U);
}

TEST_F(StepStreamTest, FillsBatchesOfTokensWithAsManySequencesAsFitAndOneAtLeast) {
  add_source("a", {3, 3, 4, 1, 10, 2, 2}).order = config::Order::sequential;
  config_.batch.tokens = 7;

  EXPECT_EQ(steps(), (Steps{{3, 3}, {4, 1}, {10}, {2, 2}}));
  EXPECT_EQ(count_steps(config_, *catalogue_, beginning(config_, *catalogue_)), std::nullopt);
}

TEST_F(StepStreamTest, DropsTheIncompleteLastBatchWhereAskedAndCountsIt) {
  add_source("a", {1, 2, 3, 4, 25}).order = config::Order::sequential;
  config_.sources[0].over_long = config::OverLong::split;
  config_.batch.sequences = 2;
  config_.batch.last = config::LastBatch::drop;

  EXPECT_EQ(steps(), (Steps{{1, 2}, {3, 4}}));
  EXPECT_EQ(count_steps(config_, *catalogue_, beginning(config_, *catalogue_)), 2U);
  EXPECT_EQ(dropped(checkpoint::Reason::last_batch), 1U);
  EXPECT_EQ(counts_[0].drawn, 5U);
  EXPECT_EQ(counts_[0].delivered, 4U);
  EXPECT_EQ(counts_[0].split, 0U);
  EXPECT_EQ(counts_[0].tokens, 10U);
}

TEST_F(StepStreamTest, DroppedSequencesTakeNoPlaceInABatch) {
  add_source("a", {1, 11, 2, 0, 12, 3}).order = config::Order::sequential;
  config_.sources[0].over_long = config::OverLong::drop;
  config_.sources[0].zero_length = config::ZeroLength::drop;
  config_.batch.sequences = 2;

  EXPECT_EQ(steps(), (Steps{{1, 2}, {3}}));
  EXPECT_EQ(dropped(checkpoint::Reason::over_long), 2U);
  EXPECT_EQ(dropped(checkpoint::Reason::zero_length), 1U);
  EXPECT_EQ(count_steps(config_, *catalogue_, beginning(config_, *catalogue_)), 2U);
}

TEST_F(StepStreamTest, GoesOnForAsManyStepsAsAsked) {
  add_source("a", {1, 2, 3}).order = config::Order::sequential;
  config_.epochs.reset();
  config_.steps = 4;
  config_.batch.sequences = 2;

  EXPECT_EQ(steps(), (Steps{{1, 2}, {3, 1}, {2, 3}, {1, 2}}));
}

TEST_F(StepStreamTest, WeightsOfTokensBecomeSharesOfTokens) {
  add_source("short", std::vector<std::uint32_t>(100, 1));
  add_source("long", std::vector<std::uint32_t>(100, 10));
  config_.natural_weights = false;
  config_.weight_unit = config::WeightUnit::tokens;
  for (config::Source& source : config_.sources) source.weight = 1;
  config_.epochs.reset();
  config_.steps = 11;
  config_.batch.sequences = 100;

  steps();

  EXPECT_EQ(counts_[0].tokens, 1000U);
  EXPECT_EQ(counts_[1].tokens, 1000U);
}

TEST_F(StepStreamTest, TellsEveryProblemOfEverySourceAtOnce) {
  add_source("good", {1});
  config_.file = "run.yaml";
  config_.batch.sequences = 1;
  for (const char* name : {"first", "second"}) {
    config::Source& source = config_.sources.emplace_back();
    source.name = name;
    source.paths = {folder_.file(name)};
    source.path_mark = {static_cast<int>(config_.sources.size()), 3};
  }

  EXPECT_ERROR(steps(), STOWAGE_IO_ERROR, "run.yaml:2:3: source 'first': ");
  EXPECT_ERROR(steps(), STOWAGE_IO_ERROR, "run.yaml:3:3: source 'second': ");
}

}  // namespace
}  // namespace stowage::loader
