// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "base/error.hpp"
#include "mpi/check.hpp"
#include "support/world.hpp"

namespace stowage::mpi {
namespace {

using test::World;

TEST(Communicator, ADuplicateReturnsErrorsAndSeparatesMessages) {
  const World world;

  const Communicator copy = Communicator::duplicate(world.get(), {}, Deadline::never());

  EXPECT_EQ(copy.rank(), world.rank());
  EXPECT_EQ(copy.size(), world.size());
  int relation = MPI_IDENT;
  MPI_Comm_compare(world.get(), copy.get(), &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
}

TEST(Communicator, MovingLeavesAnEmptyOne) {
  const World world;
  Communicator first = Communicator::duplicate(world.get(), {}, Deadline::never());

  const Communicator second = std::move(first);

  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
}

TEST(Communicator, AGroupOfOneNeedsNobodyElse) {
  const World world;
  if (world.rank() == 0) {
    const std::vector<int> members{0};

    const Communicator alone = Communicator::of_ranks(world.get(), members, 1);

    EXPECT_EQ(alone.size(), 1);
  }
  world.barrier();
}

TEST(Check, NamesTheCallAndMpisReason) {
  const World world;
  try {
    check(MPI_Send(nullptr, 1, MPI_BYTE, world.size(), 0, world.get()), "MPI_Send");
    FAIL() << "a send to a rank that does not exist succeeded";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), STOWAGE_MPI_ERROR);
    EXPECT_NE(std::string(error.what()).find("MPI_Send failed with code"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("MPI_ERR_"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stowage::mpi
