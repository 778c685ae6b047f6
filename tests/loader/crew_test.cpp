// SPDX-License-Identifier: Apache-2.0
#include "loader/crew.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/errors.hpp"

namespace stowage::loader {
namespace {

std::vector<int> numbers_but(int loaders, const std::set<int>& lost) {
  std::vector<int> living;
  for (int n = 0; n < loaders; ++n) {
    if (!lost.contains(n)) living.push_back(n);
  }
  return living;
}

Crew crew_of(int loaders, std::uint32_t shadows, int replicas) {
  Crew crew = first_crew(loaders, shadows);
  for (int r = 0; r < replicas; ++r)
    crew.server.push_back(crew.active[static_cast<std::size_t>(r) % crew.active.size()]);
  return crew;
}

TEST(Crew, TheLastOnesAreShadows) {
  const Crew crew = first_crew(5, 2);

  EXPECT_EQ(crew.active, (std::vector{0, 1, 2}));
  EXPECT_EQ(crew.shadows, (std::vector{3, 4}));
}

TEST(Crew, WithoutARankToWorkTheConfigurationIsRefused) {
  EXPECT_ERROR(first_crew(2, 2), STOWAGE_CONFIG_ERROR, "expected more loader ranks than shadows");
}

TEST(Crew, AShadowOfTheSameNodeIsTakenFirst) {
  const std::vector<int> nodes{0, 1, 0, 1};  // shadows: 2 on node 0, 3 on node 1

  const Crew next = after_loss(crew_of(4, 2, 4), {0, 2, 3}, nodes);

  EXPECT_EQ(next.active, (std::vector{0, 3}));
  EXPECT_EQ(next.shadows, std::vector{2});
  EXPECT_EQ(next.server, (std::vector{0, 3, 0, 3}));
  EXPECT_EQ(next.constructors(), (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(next.lost, 1U);
}

TEST(Crew, WithoutShadowsTheReplicasGoToThoseWithTheFewest) {
  Crew crew = first_crew(3, 0);
  crew.server = {0, 0, 1, 2, 2, 2};

  const Crew next = after_loss(crew, {0, 1}, {0, 0, 0});

  EXPECT_EQ(next.active, (std::vector{0, 1}));
  EXPECT_EQ(next.server, (std::vector{0, 0, 1, 1, 0, 1}));
}

// Every subset of ranks lost, in every number of shadows.
TEST(Crew, WhoeverIsLostEveryReplicaHasALivingServerAndNoLivingOneLosesItsReplicas) {
  constexpr int kLoaders = 5;
  constexpr int kReplicas = 7;
  for (std::uint32_t shadows = 0; shadows < kLoaders; ++shadows) {
    for (unsigned mask = 1; mask + 1 < 1U << kLoaders; ++mask) {
      std::set<int> lost;
      for (int n = 0; n < kLoaders; ++n) {
        if ((mask >> n & 1U) != 0) lost.insert(n);
      }
      const Crew crew = crew_of(kLoaders, shadows, kReplicas);

      const Crew next = after_loss(crew, numbers_but(kLoaders, lost), std::vector<int>(kLoaders, 0));

      const std::size_t living = kLoaders - lost.size();
      ASSERT_EQ(next.active.size(), std::min(living, crew.active.size()));
      ASSERT_EQ(next.active.size() + next.shadows.size(), living) << "everybody has something to do";
      for (int r = 0; r < kReplicas; ++r) {
        const auto at = static_cast<std::size_t>(r);
        EXPECT_TRUE(next.works(next.server[at])) << "shadows " << shadows << ", lost " << mask << ", replica " << r;
        if (!lost.contains(crew.server[at])) {
          EXPECT_EQ(next.server[at], crew.server[at]) << "its trainers need not move";
        }
      }
    }
  }
}

TEST(Crew, LossesInOneGoOrOneAfterTheOtherLeaveEveryPlaceFilledOnce) {
  const Crew crew = crew_of(6, 2, 8);
  const std::vector<int> nodes{0, 0, 1, 1, 0, 1};

  const Crew after_one = after_loss(crew, {0, 1, 2, 4, 5}, nodes);
  const Crew after_two = after_loss(after_one, {0, 2, 4, 5}, nodes);

  const std::set<int> different(after_two.active.begin(), after_two.active.end());
  EXPECT_EQ(different, (std::set{0, 2, 4, 5}));
  EXPECT_TRUE(after_two.shadows.empty());
  EXPECT_EQ(after_two.active[3], 5) << "the shadow of node 1";
  EXPECT_EQ(after_two.active[1], 4);
}

}  // namespace
}  // namespace stowage::loader
