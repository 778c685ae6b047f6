// SPDX-License-Identifier: Apache-2.0
// Ranks that find out about losses at different times come to the same view.
#include "loader/membership.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "mpi/wait.hpp"
#include "support/world.hpp"

namespace stowage::loader {
namespace {

using test::World;

std::vector<int> all_ranks(const World& world) {
  std::vector<int> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Calls check() until the loss of so many is known.
Membership::View settle(Membership& membership, std::size_t living) {
  const auto deadline = mpi::Deadline::after(mpi::Seconds(10));
  Membership::View view = membership.view();
  while (view.living.size() > living && !deadline.passed()) {
    try {
      membership.check();
    } catch (const LoadersLost&) {
      view = membership.view();
    }
  }
  return view;
}

TEST(Membership, TwoLossesSeenByDifferentRanksBecomeOneViewOfAll) {
  const World world;
  if (world.size() < 5) GTEST_SKIP() << "needs two ranks that are lost and some that are left";
  Membership membership(world.get(), all_ranks(world), world.rank());
  const int last = world.size() - 1;
  if (world.rank() == 0) membership.declare(last);
  if (world.rank() == 1) membership.declare(last - 1);

  if (world.rank() < last - 1) {
    const Membership::View view = settle(membership, static_cast<std::size_t>(world.size()) - 2);

    EXPECT_EQ(view.living.size(), static_cast<std::size_t>(world.size()) - 2);
    int least = view.space;
    int most = view.space;
    MPI_Comm left = MPI_COMM_NULL;
    MPI_Comm_split(world.get(), 0, 0, &left);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, left);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, left);
    MPI_Comm_free(&left);
    EXPECT_EQ(least, most) << "the same view has the same tags everywhere";
  } else {
    EXPECT_THROW(
        {
          const auto deadline = mpi::Deadline::after(mpi::Seconds(10));
          while (!deadline.passed()) {
            try {
              membership.check();
            } catch (const LoadersLost&) {
              membership.view();
            }
          }
        },
        Expelled)
        << "a rank that was only stopped learns that it was replaced";
    MPI_Comm gone = MPI_COMM_NULL;
    MPI_Comm_split(world.get(), 1, 0, &gone);
    MPI_Comm_free(&gone);
  }
  world.barrier();
}

TEST(Membership, ALossIsThrownOnceAView) {
  const World world;
  if (world.size() < 3) GTEST_SKIP() << "needs a rank that is lost and two that are left";
  Membership membership(world.get(), all_ranks(world), world.rank());
  const int last = world.size() - 1;
  const int first_space = membership.view().space;
  if (world.rank() == 0) membership.declare(last);

  if (world.rank() != last) {
    const Membership::View view = settle(membership, static_cast<std::size_t>(last));

    EXPECT_NO_THROW(membership.check());
    EXPECT_TRUE(membership.lost(last));
    EXPECT_NE(view.space, first_space) << "what the old view left unfinished must not be mistaken for the new one's";
  }
  world.barrier();
}

}  // namespace
}  // namespace stowage::loader
