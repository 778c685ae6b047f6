// SPDX-License-Identifier: Apache-2.0
#include "mpi/roles.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "support/world.hpp"

namespace stowage::mpi {
namespace {

using test::World;

constexpr Seconds kLong{30.0};

// The layouts of n ranks as bit masks (bit r: rank r is a loader): all of them up to five ranks, a selection above.
std::vector<unsigned> layouts(int ranks) {
  if (ranks > 5) return {0b11000000, 0b00000011, 0b10101010, 0b00000001, 0b10000000, 0b01111111, 0b11111110};
  std::vector<unsigned> masks;
  for (unsigned mask = 1; mask + 1 < (1U << ranks); ++mask) masks.push_back(mask);
  return masks;
}

Role role_in(unsigned mask, int rank) {
  return (mask >> rank & 1U) != 0 ? Role::loader : Role::trainer;
}

std::vector<int> ranks_of(unsigned mask, int ranks, Role role) {
  std::vector<int> members;
  for (int r = 0; r < ranks; ++r) {
    if (role_in(mask, r) == role) members.push_back(r);
  }
  return members;
}

std::string error_of(MPI_Comm world, Role mine, Seconds timeout, Status expected) {
  try {
    split_job(world, mine, timeout);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Roles, EveryLayoutGivesEachRankItsPeersInWorldOrder) {
  for (const unsigned mask : layouts(World().size())) {
    const World world;
    const Role mine = role_in(mask, world.rank());

    const Job job = split_job(world.get(), mine, kLong);

    const auto members = ranks_of(mask, world.size(), mine);
    EXPECT_EQ(job.role, mine);
    EXPECT_EQ(job.trainer_ranks, ranks_of(mask, world.size(), Role::trainer)) << "layout " << mask;
    EXPECT_EQ(job.loader_ranks, ranks_of(mask, world.size(), Role::loader)) << "layout " << mask;
    EXPECT_EQ(job.peers.size(), static_cast<int>(members.size()));
    EXPECT_EQ(members[static_cast<std::size_t>(job.peers.rank())], world.rank());
    EXPECT_EQ(job.world.rank(), world.rank());
  }
}

TEST(Roles, AJobWithoutLoadersIsAnErrorWithAdviceOnEveryRank) {
  const World world;

  const std::string message = error_of(world.get(), Role::trainer, kLong, STOWAGE_MPI_ERROR);

  EXPECT_NE(message.find("none is a loader"), std::string::npos) << message;
  EXPECT_NE(message.find(": -n 2 stowage serve CONFIG"), std::string::npos) << message;
}

TEST(Roles, AJobWithoutTrainersIsAnErrorWithAdviceOnEveryRank) {
  const World world;

  const std::string message = error_of(world.get(), Role::loader, kLong, STOWAGE_MPI_ERROR);

  EXPECT_NE(message.find("none is a trainer"), std::string::npos) << message;
  EXPECT_NE(message.find("mpirun -n 4 TRAINER : "), std::string::npos) << message;
}

TEST(Roles, ARankThatNeverComesIsNamedOnEveryOtherRank) {
  const World world;
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const int missing = world.size() - 1;
  if (world.rank() == missing) {
    world.barrier();
    return;
  }

  const std::string message = error_of(world.get(), Role::trainer, Seconds(0.3), STOWAGE_TIMEOUT);

  const std::string expected = fmt::format(
      "waited 0.3 s for all {} ranks of the job to start stowage; 1 did not: rank {}.", world.size(), missing);
  EXPECT_NE(message.find(expected), std::string::npos) << message;
  world.barrier();
}

TEST(Roles, WithoutRankZeroTheOthersEndInATimeoutThatSaysSo) {
  const World world;
  if (world.size() != 2) GTEST_SKIP() << "takes seconds; once is enough";
  if (world.rank() == 0) {
    world.barrier();
    return;
  }

  const std::string message = error_of(world.get(), Role::loader, Seconds(0.2), STOWAGE_TIMEOUT);

  EXPECT_NE(message.find("rank 0's list of the ranks of the job"), std::string::npos) << message;
  world.barrier();
}

}  // namespace
}  // namespace stowage::mpi
