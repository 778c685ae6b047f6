// SPDX-License-Identifier: Apache-2.0
#include "loader/placement.hpp"

#include <gtest/gtest.h>

namespace stowage::loader {
namespace {

TEST(Placement, KeepsReplicasOnTheirNode) {
  EXPECT_EQ(constructors_near(std::vector<int>{0, 0, 1, 1}, std::vector<int>{1, 0}), (Constructors{1, 1, 0, 0}));
}

TEST(Placement, DividesANodesReplicasAmongItsLoaders) {
  EXPECT_EQ(constructors_near(std::vector<int>{0, 0, 0, 0, 0}, std::vector<int>{0, 0}), (Constructors{0, 0, 0, 1, 1}));
}

TEST(Placement, GivesReplicasOfNodesWithoutLoadersToWhoHasTheFewest) {
  EXPECT_EQ(constructors_near(std::vector<int>{0, 0, 0, 2, 3, 2}, std::vector<int>{0, 1}),
            (Constructors{0, 0, 0, 1, 1, 1}));
}

TEST(Placement, SpreadsOverAllLoadersWhenNoneSharesANode) {
  EXPECT_EQ(constructors_near(std::vector<int>{0, 1, 2, 0}, std::vector<int>{3, 3}), (Constructors{0, 1, 0, 1}));
}

TEST(Placement, LeavesLoadersIdleThatHaveNoReplica) {
  EXPECT_EQ(constructors_near(std::vector<int>{0}, std::vector<int>{1, 0, 0}), (Constructors{1}));
}

TEST(Placement, OnOneNodeIsInEqualRuns) {
  EXPECT_EQ(constructors_near(std::vector<int>(7, 0), std::vector<int>(3, 0)), constructors_over(7, 3));
}

}  // namespace
}  // namespace stowage::loader
