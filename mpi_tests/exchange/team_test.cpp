// SPDX-License-Identifier: Apache-2.0
#include "exchange/team.hpp"

#include <gtest/gtest.h>

#include "support/traffic.hpp"
#include "support/world.hpp"

namespace stowage::exchange {
namespace {

using test::Traffic;
using test::World;

class TeamOfRounds : public testing::TestWithParam<std::size_t> {};

TEST_P(TeamOfRounds, AllToAllEqualsThePlainReference) {
  const World world;
  const auto team = make_mpi_team(world.get(), GetParam());
  for (const Traffic& traffic : test::awkward_traffic(world.size())) {
    const Bytes send = traffic.sent_by(team->rank());
    const Bytes expected = traffic.received_by(team->rank());
    Bytes received(expected.size());

    team->all_to_all(send, traffic.send_sizes(team->rank()), received, traffic.receive_sizes(team->rank()));

    EXPECT_EQ(received, expected) << traffic.name;
  }
}

TEST_P(TeamOfRounds, AllGatherKeepsRankOrderAndEmptyParts) {
  const World world;
  const auto team = make_mpi_team(world.get(), GetParam());
  for (const Traffic& traffic : test::awkward_traffic(world.size())) {
    const Bytes mine = traffic.part(0, team->rank());

    const Gathered all = team->all_gather(mine);

    for (int r = 0; r < team->size(); ++r) {
      const Bytes expected = traffic.part(0, r);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), all.of(r).begin(), all.of(r).end())) << traffic.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, TeamOfRounds, testing::Values(24, 200, mpi::kRoundBytes));

TEST(Team, TheIdleHookRunsWhileOthersAreAwaited) {
  const World world;
  if (world.size() == 1) GTEST_SKIP() << "nobody to wait for";
  const auto team = make_mpi_team(world.get());
  int looks = 0;
  team->set_idle([&] { ++looks; });
  if (world.rank() == 0) MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (world.rank() == 1) {
    team->set_idle([&] {
      if (++looks == 10) MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    });
  }

  team->agree({});

  const int least = world.rank() == 1 ? 10 : 0;
  EXPECT_GE(looks, least);
}

TEST(Team, TheIdleHookCanBeCalledFromOutsideAndMayBeAbsent) {
  const auto team = make_solo_team();
  int calls = 0;

  team->idle();
  team->set_idle([&] { ++calls; });
  team->idle();

  EXPECT_EQ(calls, 1);
}

TEST(SoloTeam, BehavesAsATeamOfOne) {
  const auto team = make_solo_team();
  for (const Traffic& traffic : test::awkward_traffic(1)) {
    const Bytes send = traffic.sent_by(0);
    Bytes received(send.size());

    team->all_to_all(send, traffic.send_sizes(0), received, traffic.receive_sizes(0));
    const Gathered all = team->all_gather(send);

    EXPECT_EQ(received, send) << traffic.name;
    EXPECT_EQ(all.bytes, send) << traffic.name;
    EXPECT_EQ(team->size(), 1);
  }
}

#if STOWAGE_ASSERT_LEVEL >= 2
TEST(Team, SizesThatDoNotMatchAreFoundOnEveryRank) {
  const World world;
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const auto team = make_mpi_team(world.get());
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::vector<std::uint64_t> send_sizes(ranks, 1);
  std::vector<std::uint64_t> receive_sizes(ranks, 1);
  if (world.rank() == 0) receive_sizes[1] = 2;
  const Bytes send(ranks);
  Bytes receive(world.rank() == 0 ? ranks + 1 : ranks);

  try {
    team->all_to_all(send, send_sizes, receive, receive_sizes);
    FAIL() << "rank 1 sent one byte where two were expected";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 0 expects 2 bytes from rank 1, which sends 1");
  }
}
#endif

}  // namespace
}  // namespace stowage::exchange
