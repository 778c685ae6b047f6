// SPDX-License-Identifier: Apache-2.0
// Lines that are cut and lines that are given back. What the deaths of real processes do is tested by the jobs of
// mpi_tests/faults.
#include "loader/lifelines.hpp"

#include <gtest/gtest.h>

#include "mpi/wait.hpp"
#include "support/world.hpp"

namespace stowage::loader {
namespace {

using test::World;

// Who ended within so many seconds.
std::vector<int> ended_within(Lifelines& lifelines, double seconds, std::size_t enough) {
  std::vector<int> all;
  const auto deadline = mpi::Deadline::after(mpi::Seconds(seconds));
  while (all.size() < enough && !deadline.passed()) {
    for (const int rank : lifelines.ended()) all.push_back(rank);
  }
  return all;
}

TEST(Lifelines, ALineThatIsCutIsTheEndOfItsRankForAllOthersAndToldOnce) {
  const World world;
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  const auto team = exchange::make_mpi_team(world.get());
  auto lifelines = std::make_unique<Lifelines>(*team, std::vector<int>(static_cast<std::size_t>(world.size()), 0));
  EXPECT_TRUE(lifelines->ended().empty());
  world.barrier();

  if (world.rank() == 1) {
    lifelines.reset();  // as the kernel does when the process ends
  } else {
    EXPECT_EQ(ended_within(*lifelines, 10, 1), std::vector{1});
    EXPECT_TRUE(ended_within(*lifelines, 0.05, 1).empty());
  }
  world.barrier();
}

TEST(Lifelines, WhoeverLeavesInOrderIsNoLoss) {
  const World world;
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  const auto team = exchange::make_mpi_team(world.get());
  auto lifelines = std::make_unique<Lifelines>(*team, std::vector<int>(static_cast<std::size_t>(world.size()), 0));
  world.barrier();

  if (world.rank() == 1) {
    lifelines->leave();
    lifelines.reset();
  }
  world.barrier();

  if (lifelines) {
    EXPECT_TRUE(ended_within(*lifelines, 0.1, 1).empty());
  }
  world.barrier();
}

}  // namespace
}  // namespace stowage::loader
