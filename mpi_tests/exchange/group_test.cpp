// SPDX-License-Identifier: Apache-2.0
// Teams of some ranks of a communicator, made while others are gone.
#include <gtest/gtest.h>

#include <chrono>

#include "exchange/team.hpp"
#include "support/traffic.hpp"
#include "support/world.hpp"

namespace stowage::exchange {
namespace {

using test::Traffic;
using test::World;

class GivenUp : public std::exception {};

std::vector<int> all_but(int missing, int size) {
  std::vector<int> ranks;
  for (int r = 0; r < size; ++r) {
    if (r != missing) ranks.push_back(r);
  }
  return ranks;
}

// Ends a wait after a moment, as the news of a death does.
void give_up_soon(Team& team) {
  team.set_idle([end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50)] {
    if (std::chrono::steady_clock::now() > end) throw GivenUp();
  });
}

void expect_all_to_all_works(Team& team) {
  for (const Traffic& traffic : test::awkward_traffic(team.size())) {
    const Bytes send = traffic.sent_by(team.rank());
    const Bytes expected = traffic.received_by(team.rank());
    Bytes received(expected.size());

    team.all_to_all(send, traffic.send_sizes(team.rank()), received, traffic.receive_sizes(team.rank()));

    EXPECT_EQ(received, expected) << traffic.name;
  }
}

TEST(Group, RanksThatAreLeftGoOnInAnotherGroupWhateverTheFirstLeftUnfinished) {
  const World world;
  for (int gone = 0; gone < world.size() && world.size() > 1; ++gone) {
    const int space = 1 + 2 * gone;
    const auto first = make_mpi_team(mpi::Group(world.get(), all_but(-1, world.size()), space));
    if (world.rank() != gone) {
      Vote vote;
      vote.progress = 1;
      give_up_soon(*first);
      if (world.size() == 2) {
        EXPECT_THROW(first->agree(vote), GivenUp);
      } else {
        // Some ranks may get through the first collective; none gets through the next.
        EXPECT_THROW(
            {
              first->all_gather(Bytes(100'000));
              first->agree(vote);
            },
            GivenUp);
      }

      const auto second = make_mpi_team(mpi::Group(world.get(), all_but(gone, world.size()), space + 1));

      vote.progress = 7;
      EXPECT_EQ(second->agree(vote).least_progress, 7U);
      expect_all_to_all_works(*second);
    }
    world.barrier();
  }
}

TEST(Group, FailuresAndDisagreementAreToldInASubgroup) {
  const World world;
  if (world.size() < 3) GTEST_SKIP() << "needs a group of two in a world of more";
  if (world.rank() != 1) {
    const auto team = make_mpi_team(mpi::Group(world.get(), all_but(1, world.size()), 5));
    Vote vote;
    if (team->rank() == team->size() - 1) vote = {STOWAGE_IO_ERROR, "the last one failed", {}, false, 0};

    try {
      team->agree(vote);
      ADD_FAILURE() << "no error came";
    } catch (const SharedError& error) {
      EXPECT_STREQ(error.what(), "the last one failed");
    }
  }
  world.barrier();
}

}  // namespace
}  // namespace stowage::exchange
