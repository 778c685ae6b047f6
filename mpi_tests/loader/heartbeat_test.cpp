// SPDX-License-Identifier: Apache-2.0
#include "loader/heartbeat.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "support/world.hpp"

namespace stowage::loader {
namespace {

using mpi::Seconds;
using test::World;

constexpr Seconds kEver{1000};

std::vector<int> ranks_of(const World& world) {
  std::vector<int> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Beats for so long, or until it throws.
void beat_for(Heartbeat& heartbeat, Seconds duration) {
  const mpi::Deadline deadline = mpi::Deadline::after(duration);
  while (!deadline.passed()) {
    heartbeat.beat();
    std::this_thread::sleep_for(Seconds(0.001));
  }
}

TEST(Heartbeat, ASilentRankIsMissedByTheOneAfterIt) {
  const World world;
  if (world.size() == 1) GTEST_SKIP() << "needs a second rank";
  const bool watches = world.rank() == 0;  // the last rank, which stays silent
  Heartbeat heartbeat(world.get(), ranks_of(world), world.rank(), watches ? Seconds(0.2) : kEver);
  std::string message;

  if (watches) {
    try {
      while (true) beat_for(heartbeat, kEver);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), STOWAGE_PEER_LOST);
      message = error.what();
    }
  }
  world.barrier();

  if (watches) {
    EXPECT_NE(message.find("loader rank " + std::to_string(world.size() - 1)), std::string::npos) << message;
    EXPECT_NE(message.find("limits.peer_seconds"), std::string::npos) << message;
  }
}

TEST(Heartbeat, RanksThatGiveSignsAreLeftAlone) {
  const World world;
  Heartbeat heartbeat(world.get(), ranks_of(world), world.rank(), Seconds(4));

  EXPECT_NO_THROW(beat_for(heartbeat, Seconds(5)));

  world.barrier();
}

TEST(Heartbeat, TheTimeInWhichARankWasAwayIsNotHeldAgainstOthers) {
  const World world;
  Heartbeat heartbeat(world.get(), ranks_of(world), world.rank(), Seconds(0.4));

  std::this_thread::sleep_for(Seconds(0.6));

  EXPECT_NO_THROW(heartbeat.beat());
  world.barrier();
}

TEST(Heartbeat, SilenceBeforeAShorterLimitWasSetDoesNotCount) {
  const World world;
  Heartbeat heartbeat(world.get(), ranks_of(world), world.rank(), kEver);
  beat_for(heartbeat, Seconds(1));  // signs are rare under this limit: none comes
  world.barrier();

  heartbeat.set_limit(Seconds(0.8));

  EXPECT_NO_THROW(beat_for(heartbeat, Seconds(0.4)));
  world.barrier();
}

TEST(Heartbeat, ALongerLimitHoldsFromWhenItIsSet) {
  const World world;
  Heartbeat heartbeat(world.get(), ranks_of(world), world.rank(), Seconds(0.1));

  heartbeat.set_limit(kEver);

  EXPECT_NO_THROW(beat_for(heartbeat, Seconds(0.5)));
  world.barrier();
}

}  // namespace
}  // namespace stowage::loader
