// SPDX-License-Identifier: Apache-2.0
// The contract of stowage.h, in embedded use: no MPI_Init anywhere in this program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "source/writer.hpp"
#include "stowage.h"
#include "support/temporary_folder.hpp"

namespace {

using testing::HasSubstr;

class CApi : public testing::Test {
 protected:
  CApi() {
    stowage::source::WriterOptions options;
    options.type = stowage::source::TokenType::u16;
    options.vocab_size = 100;
    const auto writer = stowage::source::make_megatron_writer(folder_.file("a"), options);
    for (std::uint32_t s = 0; s < 12; ++s) {
      writer->add(std::vector<std::uint32_t>(s, s));
      writer->end_document();
    }
    writer->close();
    config_ = folder_.write("run.yaml", R"(
data_parallel: 2
epochs: 1
batch: {sequences: 4}
micro_batch: {tokens: 32}
prefetch: {steps: 2}
sources: [{name: a, format: megatron, path: a}]
)");
  }
  ~CApi() override { stowage_trainer_destroy(&trainer_); }

  void open() { ASSERT_EQ(stowage_trainer_create_embedded(config_.c_str(), nullptr, &trainer_), STOWAGE_OK); }

  stowage::test::TemporaryFolder folder_;
  std::string config_;
  stowage_trainer* trainer_ = nullptr;
};

TEST_F(CApi, GivesTheWholeStreamAndThenItsEndForEver) {
  open();
  const stowage_step* step = nullptr;
  std::uint64_t steps = 0;
  while (stowage_step_acquire(trainer_, &step) == STOWAGE_OK) {
    EXPECT_EQ(step->step, steps++);
    EXPECT_EQ(stowage_step_release(trainer_, &step), STOWAGE_OK);
    EXPECT_EQ(step, nullptr);
  }

  EXPECT_EQ(steps, 3U);
  EXPECT_EQ(stowage_step_acquire(trainer_, &step), STOWAGE_END);
  EXPECT_EQ(step, nullptr);
}

TEST_F(CApi, TellsWhatIsKnownOfTheRun) {
  open();
  stowage_info info{};

  ASSERT_EQ(stowage_trainer_info(trainer_, &info), STOWAGE_OK);

  EXPECT_EQ(info.steps, 3U);
  EXPECT_EQ(info.replicas, 2U);
  EXPECT_EQ(info.replica, 0U);
  EXPECT_EQ(info.micro_batch_tokens, 32U);
  EXPECT_EQ(info.steps_held, 2U);
  EXPECT_EQ(info.sources, 1U);
  MPI_Comm comm = MPI_COMM_WORLD;
  ASSERT_EQ(stowage_trainer_comm(trainer_, &comm), STOWAGE_OK);
  EXPECT_EQ(comm, MPI_COMM_NULL);
}

TEST_F(CApi, HoldsSeveralStepsAndReleasesThemInOrder) {
  open();
  const stowage_step* first = nullptr;
  const stowage_step* second = nullptr;
  const stowage_step* third = nullptr;
  ASSERT_EQ(stowage_step_acquire(trainer_, &first), STOWAGE_OK);
  ASSERT_EQ(stowage_step_acquire(trainer_, &second), STOWAGE_OK);

  EXPECT_EQ(stowage_step_acquire(trainer_, &third), STOWAGE_STATE_ERROR);
  EXPECT_THAT(stowage_last_message(), HasSubstr("at most 2 steps may be held"));
  EXPECT_EQ(stowage_step_release(trainer_, &second), STOWAGE_STATE_ERROR);
  EXPECT_EQ(stowage_step_release(trainer_, &first), STOWAGE_OK);
  EXPECT_EQ(stowage_step_acquire(trainer_, &third), STOWAGE_OK);
  EXPECT_EQ(second->step, 1U);
}

TEST_F(CApi, RefusesArgumentsThatBreakTheContractAndSaysWhich) {
  const stowage_step* step = nullptr;
  stowage_trainer_options options;
  ASSERT_EQ(stowage_trainer_options_init(&options), STOWAGE_OK);

  EXPECT_EQ(stowage_step_acquire(nullptr, &step), STOWAGE_INVALID_ARGUMENT);
  EXPECT_STREQ(stowage_last_message(), "trainer must not be NULL");
  EXPECT_EQ(stowage_trainer_options_init(nullptr), STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_trainer_create_embedded(nullptr, nullptr, &trainer_), STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_trainer_create_embedded(config_.c_str(), nullptr, nullptr), STOWAGE_INVALID_ARGUMENT);
  options.replica = 2;
  EXPECT_EQ(stowage_trainer_create_embedded(config_.c_str(), &options, &trainer_), STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(stowage_last_message(), HasSubstr("replica must be in [0, 2)"));
  options.replica = -2;
  EXPECT_EQ(stowage_trainer_create_embedded(config_.c_str(), &options, &trainer_), STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(trainer_, nullptr);
}

class Stages : public CApi {
 protected:
  Stages() {
    config_ = folder_.write("cut.yaml", R"(
data_parallel: 2
context_parallel: 2
epochs: 1
batch: {sequences: 4}
micro_batch: {tokens: 32}
sources: [{name: a, format: megatron, path: a}]
)");
    stowage_trainer_options_init(&options_);
    options_.context_parallel_size = 2;
    options_.pipeline_parallel_size = 3;
  }

  // The first micro-batch of the first step, as this rank gets it.
  const stowage_micro_batch& first(std::int32_t context_rank, std::int32_t stage) {
    stowage_trainer_destroy(&trainer_);
    options_.context_parallel_rank = context_rank;
    options_.pipeline_parallel_rank = stage;
    EXPECT_EQ(stowage_trainer_create_embedded(config_.c_str(), &options_, &trainer_), STOWAGE_OK)
        << stowage_last_message();
    const stowage_step* step = nullptr;
    EXPECT_EQ(stowage_step_acquire(trainer_, &step), STOWAGE_OK) << stowage_last_message();
    return step->micro_batches[0];
  }

  stowage_trainer_options options_{};
};

TEST_F(Stages, GetWhatTheyNeedAndNullElsewhere) {
  const stowage_micro_batch head = first(0, 0);
  EXPECT_TRUE(head.tokens != nullptr && head.position_ids != nullptr);
  EXPECT_TRUE(head.labels == nullptr && head.loss_mask == nullptr);

  const stowage_micro_batch middle = first(1, 1);
  EXPECT_TRUE(middle.tokens == nullptr && middle.position_ids == nullptr);
  EXPECT_TRUE(middle.labels == nullptr && middle.loss_mask == nullptr);
  EXPECT_TRUE(middle.cu_seqlens != nullptr && middle.cu_seqlens_padded != nullptr && middle.origin != nullptr);

  const stowage_micro_batch tail = first(1, 2);
  EXPECT_TRUE(tail.tokens == nullptr && tail.position_ids == nullptr);
  EXPECT_TRUE(tail.labels != nullptr && tail.loss_mask != nullptr);
  for (const stowage_micro_batch& batch : {head, middle, tail}) {
    EXPECT_EQ(batch.length, 2 * batch.local_length);
    EXPECT_EQ(batch.length, head.length);
    EXPECT_EQ(batch.max_seqlen, head.max_seqlen);
  }
}

TEST_F(Stages, HoldTheirChunksOfTheFirstSegment) {
  const stowage_micro_batch& outer = first(0, 0);
  const std::int64_t chunk = outer.cu_seqlens_padded[1] / 4;
  ASSERT_GE(chunk, 1);
  EXPECT_EQ(outer.position_ids[0], 0);
  EXPECT_EQ(outer.position_ids[chunk], 3 * chunk);

  const stowage_micro_batch& inner = first(1, 0);
  EXPECT_EQ(inner.position_ids[0], chunk);
  EXPECT_EQ(inner.position_ids[chunk], 2 * chunk);
}

TEST_F(Stages, MustLieWithinWhatTheConfigurationSays) {
  const auto refused = [&](const char* why) {
    EXPECT_EQ(stowage_trainer_create_embedded(config_.c_str(), &options_, &trainer_), STOWAGE_INVALID_ARGUMENT);
    EXPECT_THAT(stowage_last_message(), HasSubstr(why));
  };
  options_.context_parallel_size = 1;
  refused("context_parallel_size must be 2, as the configuration says (context_parallel), got 1");
  options_.context_parallel_size = 2;
  options_.context_parallel_rank = 2;
  refused("context_parallel_rank must be in [0, 2), got 2");
  options_.context_parallel_rank = 0;
  options_.pipeline_parallel_rank = -1;
  refused("pipeline_parallel_rank must be in [0, 3), got -1");
  options_.pipeline_parallel_rank = 0;
  options_.tensor_parallel_size = 0;
  refused("tensor_parallel_size must be >= 1, got 0");
}

TEST_F(CApi, DoesNotInitialiseMpiByItself) {
  EXPECT_EQ(stowage_trainer_create(MPI_COMM_WORLD, nullptr, &trainer_), STOWAGE_STATE_ERROR);
  EXPECT_THAT(stowage_last_message(), HasSubstr("MPI must be initialised"));
  int initialised = 1;
  MPI_Initialized(&initialised);
  EXPECT_EQ(initialised, 0);
}

TEST_F(CApi, ReportsWhatIsWrongWithTheConfiguration) {
  config_ = folder_.write("bad.yaml", "data_parallel: none\n");

  EXPECT_EQ(stowage_trainer_create_embedded(config_.c_str(), nullptr, &trainer_), STOWAGE_CONFIG_ERROR);
  EXPECT_THAT(stowage_last_message(), HasSubstr("bad.yaml:1:16: data_parallel"));
}

TEST_F(CApi, DestroysNothingWithoutComplaint) {
  EXPECT_EQ(stowage_trainer_destroy(nullptr), STOWAGE_OK);
  EXPECT_EQ(stowage_trainer_destroy(&trainer_), STOWAGE_OK);
}

TEST_F(CApi, DigestsStepsInHexadecimal) {
  open();
  const stowage_step* step = nullptr;
  ASSERT_EQ(stowage_step_acquire(trainer_, &step), STOWAGE_OK);
  char hex[33];

  ASSERT_EQ(stowage_step_digest(step, hex), STOWAGE_OK);

  EXPECT_THAT(std::string(hex), testing::MatchesRegex("[0-9a-f]{32}"));
}

TEST(CApiNames, ArePinned) {
  EXPECT_STREQ(stowage_status_name(STOWAGE_CONFIG_ERROR), "config error");
  EXPECT_EQ(STOWAGE_END, 1);
  EXPECT_EQ(STOWAGE_INTERNAL_ERROR, 12);
  EXPECT_EQ(stowage_version(), static_cast<std::uint32_t>(STOWAGE_VERSION));
}

}  // namespace
