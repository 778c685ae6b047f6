// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <thread>

#include "checkpoint/load.hpp"
#include "checkpoint/samples.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

// A folder, and a run whose checkpoints are remembered.
class CheckpointStore : public testing::Test {
 protected:
  std::string folder() const { return folder_.file("checkpoints"); }

  Generation write(Store& store) {
    test::advance(run_, 100 + written_.size());
    written_.push_back(run_);
    return store.write(run_);
  }

  // As many as that, of which the file of each is returned.
  std::vector<Generation> write(Store& store, int count) {
    std::vector<Generation> generations;
    for (int i = 0; i < count; ++i) generations.push_back(write(store));
    return generations;
  }

  static void damage(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('\x7f').put('\x7e');
    ASSERT_TRUE(file.flush());
  }

  const TemporaryFolder folder_;
  Checkpoint run_ = test::sample_checkpoint(1, 5);
  std::vector<Checkpoint> written_;
};

TEST_F(CheckpointStore, GivesBackTheLastOfEveryRun) {
  EXPECT_TRUE(rc::check([] {
    const TemporaryFolder folder;
    const StoreOptions options{*rc::gen::inRange<std::uint64_t>(1, 6), *rc::gen::inRange<std::uint64_t>(1, 4)};
    Checkpoint run =
        test::sample_checkpoint(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange<std::size_t>(0, 9));
    for (int starts = *rc::gen::inRange(1, 4); starts > 0; --starts) {
      Store store(folder.path().string(), options);
      for (int writes = *rc::gen::inRange(0, 9); writes > 0; --writes) {
        test::advance(run, *rc::gen::arbitrary<std::uint64_t>());
        if (*rc::gen::inRange(0, 6) == 0) run.fingerprint.settings.push_back({"more", ""});
        store.write(run);

        const auto loaded = load(folder.path().string());
        RC_ASSERT(loaded.has_value());
        RC_ASSERT(loaded->checkpoint == run);
        RC_ASSERT(loaded->passed_over.empty());
      }
    }
  }));
}

TEST_F(CheckpointStore, BeginsWithABaseAndMakesEveryNthOne) {
  Store store(folder(), {3, 100});

  std::string kinds;
  for (const Generation& generation : write(store, 7)) kinds += name_of(generation.kind)[0];

  EXPECT_EQ(kinds, "bddbddb");
}

TEST_F(CheckpointStore, MakesABaseWhenMoreThanTheStateChanged) {
  Store store(folder());
  write(store, 2);

  run_.fingerprint.settings[0].value = "another";
  EXPECT_EQ(write(store).kind, Kind::base);
  run_.inputs.push_back({1, "weight", "one more"});
  EXPECT_EQ(write(store).kind, Kind::difference);
  run_.inputs.back().text = "not what was there";
  EXPECT_EQ(write(store).kind, Kind::base);
  EXPECT_EQ(write(store).kind, Kind::difference);
}

TEST_F(CheckpointStore, LoadsTheStepThatIsAskedFor) {
  Store store(folder(), {3, 100});
  write(store, 5);
  const std::uint64_t third = written_[2].state.step;

  EXPECT_EQ(load(folder(), {Wanted::Which::exactly, third})->checkpoint, written_[2]);
  EXPECT_EQ(load(folder(), {Wanted::Which::not_after, third})->checkpoint, written_[2]);
  EXPECT_EQ(load(folder(), {Wanted::Which::not_after, written_[3].state.step - 1})->checkpoint, written_[2]);
  EXPECT_EQ(load(folder())->checkpoint, written_[4]);
  EXPECT_ERROR(load(folder(), {Wanted::Which::exactly, 1000}), STOWAGE_INVALID_ARGUMENT,
               folder() + ": expected a checkpoint of step 1000, found those of steps " +
                   std::to_string(written_[0].state.step) + ", ");
  EXPECT_ERROR(load(folder(), {Wanted::Which::not_after, 0}), STOWAGE_INVALID_ARGUMENT,
               "expected a checkpoint not after step 0");
}

TEST_F(CheckpointStore, AfterGoingBackToAnEarlierStepTheNewestIsTheOneWrittenLast) {
  {
    Store store(folder(), {3, 100});
    write(store, 6);
  }
  run_ = written_[1];
  Store store(folder(), {3, 100});
  write(store, 1);

  EXPECT_EQ(load(folder())->checkpoint, written_.back());
  EXPECT_LT(written_.back().state.step, written_[5].state.step);
}

TEST_F(CheckpointStore, AFolderWithoutCheckpointsGivesNothing) {
  EXPECT_FALSE(load(folder()).has_value());
  const Store store(folder());
  EXPECT_FALSE(load(folder()).has_value());
}

TEST_F(CheckpointStore, FallsBackToTheNewestValidOneAndSaysSo) {
  Store store(folder(), {4, 100});
  const std::vector<Generation> generations = write(store, 4);
  damage(generations[3].path);
  damage(generations[2].path);

  const auto loaded = load(folder());

  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->checkpoint, written_[1]);
  EXPECT_EQ(loaded->generation, generations[1]);
  ASSERT_EQ(loaded->passed_over.size(), 2U);
  EXPECT_EQ(loaded->passed_over[0].generation, generations[3]);
  EXPECT_THAT(loaded->passed_over[0].reason, testing::StartsWith(generations[3].path + ": bytes 0 to "));
  EXPECT_THAT(loaded->passed_over[1].reason, testing::StartsWith(generations[2].path + ": bytes 0 to "));
}

TEST_F(CheckpointStore, ADamagedBaseTakesItsDifferencesWithIt) {
  Store store(folder(), {3, 100});
  const std::vector<Generation> generations = write(store, 6);
  damage(generations[3].path);

  const auto loaded = load(folder());

  EXPECT_EQ(loaded->checkpoint, written_[2]);
  ASSERT_EQ(loaded->passed_over.size(), 3U);
  EXPECT_THAT(
      loaded->passed_over[0].reason,
      testing::StartsWith(generations[5].path + " needs a generation that is not valid: " + generations[3].path));
}

TEST_F(CheckpointStore, IfNoneIsValidEveryReasonIsGiven) {
  Store store(folder(), {2, 100});
  for (const Generation& generation : write(store, 3)) damage(generation.path);

  EXPECT_ERROR(load(folder()), STOWAGE_DATA_ERROR, folder() + ": expected a valid checkpoint, found 3 that are not:\n");
}

TEST_F(CheckpointStore, AMissingRenamedOrForeignFileIsNotBuiltOn) {
  Store store(folder(), {10, 100});
  const std::vector<Generation> generations = write(store, 4);
  fs::rename(generations[3].path, path_of(folder(), 4, 9999, Kind::difference));
  EXPECT_THAT(load(folder())->passed_over.at(0).reason, testing::HasSubstr("was it renamed?"));

  fs::remove(generations[1].path);
  EXPECT_EQ(load(folder())->checkpoint, written_[0]);
  EXPECT_THAT(load(folder())->passed_over.at(1).reason,
              generations[2].path + ": expected generation 2, which it builds on, in " + folder() + ", found none");

  Store other(folder_.file("other"), {10, 100});
  run_.state.plans = {1, 2};
  const std::vector<Generation> foreign = write(other, 2);
  fs::copy_file(foreign[1].path, path_of(folder(), 2, foreign[1].step, Kind::difference));
  const auto loaded = load(folder());
  EXPECT_EQ(loaded->checkpoint, written_[0]);
  EXPECT_THAT(loaded->passed_over.back().reason,
              testing::HasSubstr("generation 1, which it builds on: expected content "));
}

TEST_F(CheckpointStore, RotationRemovesWhatIsNoLongerNeeded) {
  Store store(folder(), {3, 1});
  const std::vector<Generation> generations = write(store, 10);

  EXPECT_THAT(generations_in(folder()), testing::ElementsAreArray(generations.begin() + 6, generations.end()));
  EXPECT_EQ(load(folder())->checkpoint, written_.back());
}

TEST_F(CheckpointStore, ASecondWriterIsRefusedAndTheFirstIsNamed) {
  {
    const Store store(folder());
    EXPECT_ERROR(Store{folder()}, STOWAGE_STATE_ERROR,
                 folder() + "/writer.lock: expected no other writer of checkpoints in this folder, found process " +
                     std::to_string(::getpid()) + " on host ");
  }
  EXPECT_NO_THROW(Store{folder()});
}

TEST_F(CheckpointStore, RemovesWhatDeadWritersLeftAndNothingElse) {
  write(*std::make_unique<Store>(folder()), 1);
  const std::string left = generations_in(folder())[0].path + ".tmp-00c0ffee";
  const std::string other = folder() + "/model.h5.tmp-00c0ffee";
  std::ofstream(left) << "half";
  std::ofstream(other) << "not ours";

  const Store store(folder());

  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_EQ(load(folder())->checkpoint, written_[0]);
}

TEST_F(CheckpointStore, PublishesInAThreadOfItsOwn) {
  Store store(folder());
  for (int i = 0; i < 3; ++i) {
    test::advance(run_, 7);
    Encoded encoded = store.encode(run_);
    std::thread([&] { store.publish(std::move(encoded)); }).join();
  }

  EXPECT_EQ(load(folder())->checkpoint, run_);
  EXPECT_EQ(generations_in(folder()).back().kind, Kind::difference);
}

TEST_F(CheckpointStore, WhatIsNotPublishedLeavesNoTrace) {
  Store store(folder());
  write(store, 1);
  test::advance(run_, 7);
  store.encode(run_);

  const Generation next = write(store);

  EXPECT_EQ(next.number, 3U);
  EXPECT_EQ(load(folder())->checkpoint, run_);
}

TEST_F(CheckpointStore, ChoicesThatMakeNoSenseAreRefused) {
  EXPECT_ERROR((Store{folder(), {0, 1}}), STOWAGE_INVALID_ARGUMENT, "base_every and keep of at least 1, found 0 and 1");
  EXPECT_ERROR(Store("/proc/no"), STOWAGE_IO_ERROR, "cannot make the checkpoint folder /proc/no: ");
}

}  // namespace
}  // namespace stowage::checkpoint
