// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::checkpoint {
namespace {

// "bddb": generations 1 to 4 by the first letters of their kinds.
std::vector<Generation> generations_like(std::string_view kinds) {
  std::vector<Generation> made;
  for (const char kind : kinds) {
    made.push_back({made.size() + 1, 10 * made.size(), kind == 'b' ? Kind::base : Kind::difference, ""});
  }
  return made;
}

std::size_t removed(std::string_view kinds, std::uint64_t keep) {
  const std::vector<Generation> generations = generations_like(kinds);
  return superfluous(generations, keep).size();
}

TEST(CheckpointFolder, NamesSayNumberStepAndKind) {
  EXPECT_EQ(path_of("/run/ckpt", 12, 600, Kind::base), "/run/ckpt/ckpt-00000012-step-600.base.h5");
  EXPECT_EQ(path_of("x", 123456789, 0, Kind::difference), "x/ckpt-123456789-step-0.difference.h5");
}

TEST(CheckpointFolder, ListsGenerationsInTheirOrderAndNothingElse) {
  const test::TemporaryFolder folder;
  const std::string second = folder.write("ckpt-00000010-step-5.difference.h5", "");
  const std::string first = folder.write("ckpt-00000009-step-70.base.h5", "");
  const std::string third = folder.write("ckpt-100000000-step-71.base.h5", "");
  const std::string left = folder.write("ckpt-00000011-step-6.base.h5.tmp-0123abcd", "");
  for (const char* other : {"writer.lock", "ckpt-9-step-1.base.h5", "ckpt-00000001-step-01.base.h5", "model.h5",
                            "ckpt-00000001-step-1.base.h5.bak", "ckpt-00000001-step-1.whole.h5",
                            "model.h5.tmp-0123abcd", "ckpt-99999999999999999999-step-1.base.h5"}) {
    folder.write(other, "");
  }

  EXPECT_THAT(generations_in(folder.path().string()),
              testing::ElementsAre(Generation{9, 70, Kind::base, first}, Generation{10, 5, Kind::difference, second},
                                   Generation{100000000, 71, Kind::base, third}));
  EXPECT_THAT(temporaries_in(folder.path().string()), testing::ElementsAre(left));
}

TEST(CheckpointFolder, OneThatCannotBeReadIsNamed) {
  EXPECT_ERROR(generations_in("/nowhere/at/all"), STOWAGE_IO_ERROR,
               "cannot read the checkpoint folder /nowhere/at/all: No such file or directory");
}

TEST(Rotation, KeepsTheNewestOneMoreAndTheirBase) {
  EXPECT_EQ(removed("bbbbb", 2), 2U);
  EXPECT_EQ(removed("bbbbb", 4), 0U);
  EXPECT_EQ(removed("bddbdd", 3), 0U);   // 4 kept: 3 to 6, and 3 needs 1 and 2
  EXPECT_EQ(removed("bdbdd", 1), 0U);    // the newest base but one is 1
  EXPECT_EQ(removed("bdbdbdd", 1), 2U);  // it is 3
  EXPECT_EQ(removed("bdbdbdd", 4), 2U);  // 5 kept: 3 to 7
  EXPECT_EQ(removed("bdbdbdd", 5), 0U);  // 6 kept: 2 to 7, and 2 needs 1
}

TEST(Rotation, LeavesSomethingThatDoesNotStandOnTheNewestBase) {
  EXPECT_EQ(removed("bdddbddddddd", 1), 0U);
  EXPECT_EQ(removed("bdbdddbddddddd", 1), 2U);
}

TEST(Rotation, OfFewRemovesNothing) {
  EXPECT_EQ(removed("", 1), 0U);
  EXPECT_EQ(removed("b", 1), 0U);
  EXPECT_EQ(removed("bd", 1), 0U);
  EXPECT_EQ(removed("bbb", std::numeric_limits<std::uint64_t>::max()), 0U);
}

TEST(Rotation, ToleratesAChainWithoutItsBase) {
  EXPECT_EQ(removed("dddddd", 1), 0U);
  EXPECT_EQ(removed("ddbdbd", 1), 2U);
}

}  // namespace
}  // namespace stowage::checkpoint
