// SPDX-License-Identifier: Apache-2.0
#include "loader/registration.hpp"

#include "support/errors.hpp"

namespace stowage::loader {
namespace {

TEST(Registration, GivesTrainersTheirOwnReplicaByDefault) {
  EXPECT_EQ(replicas_of({-1, -1, -1}, 3), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Registration, LetsSeveralTrainersShareAReplica) {
  EXPECT_EQ(replicas_of({1, 0, 1, 0}, 2), (std::vector<std::uint32_t>{1, 0, 1, 0}));
}

TEST(Registration, RefusesLayoutsThatDoNotFit) {
  EXPECT_ERROR(replicas_of({-1, -1}, 3), STOWAGE_MPI_ERROR, "expected as many trainers as replicas (data_parallel: 3)");
  EXPECT_ERROR(replicas_of({0, 3, 1}, 3), STOWAGE_MPI_ERROR, "trainer 1 asked for replica 3, expected one in [0, 3)");
  EXPECT_ERROR(replicas_of({0, 0, 2}, 3), STOWAGE_MPI_ERROR, "replica 1 of 3 (data_parallel) has no trainer");
}

}  // namespace
}  // namespace stowage::loader
