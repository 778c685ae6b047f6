// SPDX-License-Identifier: Apache-2.0
#include "base/fault_point.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace stowage {
namespace {

using testing::HasSubstr;

TEST(FaultPlan, AFaultIsDueAtItsPassageAndAtNoOther) {
  FaultPlan plan("2:reading:3:KILL", 2);

  EXPECT_EQ(plan.pass("reading"), std::nullopt);
  EXPECT_EQ(plan.pass("planning"), std::nullopt);
  EXPECT_EQ(plan.pass("reading"), std::nullopt);
  EXPECT_EQ(plan.pass("reading"), SIGKILL);
  EXPECT_EQ(plan.pass("reading"), std::nullopt);
}

TEST(FaultPlan, OtherRanksAreSpared) {
  FaultPlan plan("2:reading:1:KILL", 1);

  EXPECT_EQ(plan.pass("reading"), std::nullopt);
}

TEST(FaultPlan, SeveralFaultsEachHaveTheirOwnPoint) {
  FaultPlan plan("1:delivering:1:STOP,0:reading:1:KILL,1:taking_over:2:KILL", 1);

  EXPECT_EQ(plan.pass("reading"), std::nullopt);
  EXPECT_EQ(plan.pass("delivering"), SIGSTOP);
  EXPECT_EQ(plan.pass("taking_over"), std::nullopt);
  EXPECT_EQ(plan.pass("taking_over"), SIGKILL);
}

TEST(FaultPlan, MalformedTextIsRefusedWithWhatWasExpected) {
  for (const char* text : {"reading", "1:reading:1", "1:nowhere:1:KILL", "1:reading:0:KILL", "x:reading:1:KILL",
                           "1:reading:1:TERM", "1:reading:1:KILL:2", "-1:reading:1:KILL", ",1:reading:1:KILL"}) {
    try {
      FaultPlan(text, 1);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), STOWAGE_INVALID_ARGUMENT) << text;
      EXPECT_THAT(error.what(), HasSubstr("RANK:POINT:NTH:SIGNAL")) << text;
    }
  }
}

// The child of a death test starts anew with the environment that is set here.
class FaultPointDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    setenv("STOWAGE_FAULT", "3:reading:2:KILL", 1);
  }
  void TearDown() override {
    for (const char* variable : {"OMPI_COMM_WORLD_RANK", "STOWAGE_FAULT", "STOWAGE_FAULT_FILE"}) unsetenv(variable);
  }
};

TEST_F(FaultPointDeathTest, TheProcessKillsItselfAtThePassage) {
  EXPECT_EXIT(
      {
        fault_point("reading");
        fault_point("planning");
        fault_point("reading");
        exit(0);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT(
      {
        fault_point("reading");
        fault_point("planning");
        exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(FaultPointDeathTest, TheFaultIsWrittenDownBeforeItHappens) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "faults";
  setenv("STOWAGE_FAULT_FILE", file.c_str(), 0);  // the child has a folder of its own, and keeps to this one

  EXPECT_EXIT(
      {
        fault_point("reading");
        fault_point("reading");
      },
      testing::KilledBySignal(SIGKILL), "");

  std::ifstream in(file);
  long pid = 0;
  std::string point;
  double seconds = 0;
  ASSERT_TRUE(in >> pid >> point >> seconds);
  EXPECT_GT(pid, 0);
  EXPECT_EQ(point, "reading");
  EXPECT_GT(seconds, 0);
}

TEST(FaultPoint, WithoutTheVariableNothingHappens) {
  ASSERT_FALSE(fault::armed);

  fault_point("reading");
}

}  // namespace
}  // namespace stowage
