// SPDX-License-Identifier: Apache-2.0
#include "exchange/node_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace stowage::exchange {
namespace {

using testing::ElementsAre;

TEST(NodeMap, NodesAreNumberedByTheirLowestRanks) {
  const std::vector<int> given{7, -2, 7, 0, -2};

  const NodeMap map(given);

  EXPECT_EQ(map.nodes(), 3U);
  EXPECT_THAT(map.ranks_of(0), ElementsAre(0, 2));
  EXPECT_THAT(map.ranks_of(1), ElementsAre(1, 4));
  EXPECT_THAT(map.ranks_of(2), ElementsAre(3));
  EXPECT_EQ(map.node_of(4), 1U);
}

TEST(NodeMap, RanksWithAnotherNodesRankBetweenThemAreNotConsecutive) {
  const std::vector<int> given{0, 1, 0, 2, 2};

  const NodeMap map(given);

  EXPECT_FALSE(map.consecutive(0));
  EXPECT_TRUE(map.consecutive(1));
  EXPECT_TRUE(map.consecutive(2));
}

TEST(NodeMap, EachNodeTurnsToItsSuccessorFirst) {
  const std::vector<int> given{0, 1, 2, 3};

  const NodeMap map(given);

  EXPECT_THAT(map.partners(2), ElementsAre(3, 0, 1));
}

RC_GTEST_PROP(NodeMap, PartnersAreDealtOutEvenlyToRanksOfTheNode, ()) {
  const auto given = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9)));
  const NodeMap map(given);

  for (std::size_t node = 0; node < map.nodes(); ++node) {
    std::map<std::size_t, std::size_t> load;
    for (const std::size_t rank : map.ranks_of(node)) load[rank] = 0;
    for (const std::size_t partner : map.partners(node))
      ++load.at(map.agent(node, partner));  // throws for others' ranks
    const auto [least, most] =
        std::minmax_element(load.begin(), load.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    RC_ASSERT(most->second - least->second <= 1U);
    RC_ASSERT(map.partners(node).size() == map.nodes() - 1);
  }
}

}  // namespace
}  // namespace stowage::exchange
