// SPDX-License-Identifier: Apache-2.0
#include "mpi/nodes.hpp"

#include <gtest/gtest.h>

#include "support/world.hpp"

namespace stowage::mpi {
namespace {

TEST(Nodes, RanksOfOneMachineShareNodeZero) {
  const test::World world;

  const auto nodes = nodes_of_ranks(world.get());

  EXPECT_EQ(nodes, std::vector<int>(static_cast<std::size_t>(world.size()), 0));
}

}  // namespace
}  // namespace stowage::mpi
