// SPDX-License-Identifier: Apache-2.0
#include "loader/registration.hpp"

#include "support/errors.hpp"

namespace stowage::loader {
namespace {

std::vector<deliver::Register> asking(const std::vector<std::int32_t>& replicas) {
  std::vector<deliver::Register> registered;
  for (const std::int32_t replica : replicas) registered.push_back({replica, {}, -1});
  return registered;
}

TEST(Registration, GivesTrainersTheirOwnReplicaByDefault) {
  EXPECT_EQ(replicas_of(asking({-1, -1, -1}), 3), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Registration, LetsSeveralTrainersShareAReplica) {
  EXPECT_EQ(replicas_of(asking({1, 0, 1, 0}), 2), (std::vector<std::uint32_t>{1, 0, 1, 0}));
}

TEST(Registration, RefusesLayoutsThatDoNotFit) {
  EXPECT_ERROR(replicas_of(asking({-1, -1}), 3), STOWAGE_MPI_ERROR,
               "expected as many trainers as replicas (data_parallel: 3)");
  EXPECT_ERROR(replicas_of(asking({0, 3, 1}), 3), STOWAGE_MPI_ERROR,
               "trainer 1 asked for replica 3, expected one in [0, 3)");
  EXPECT_ERROR(replicas_of(asking({0, 0, 2}), 3), STOWAGE_MPI_ERROR, "replica 1 of 3 (data_parallel) has no trainer");
}

// Trainers of one replica after the other, in each by context parallel rank, then by pipeline stage.
struct Layout {
  std::vector<deliver::Register> registered;
  std::vector<std::uint32_t> replicas;
  config::Config config;

  Layout(std::uint32_t dp, std::int32_t cp, std::int32_t pp) {
    config.data_parallel = dp;
    config.micro_batch.context_parallel = static_cast<std::uint32_t>(cp);
    for (std::uint32_t d = 0; d < dp; ++d) {
      for (std::int32_t c = 0; c < cp; ++c) {
        for (std::int32_t p = 0; p < pp; ++p) {
          registered.push_back(
              {static_cast<std::int32_t>(d), {.tensor = {}, .context = {c, cp}, .pipeline = {p, pp}}, -1});
          replicas.push_back(d);
        }
      }
    }
  }

  std::vector<deliver::Part> parts() const { return parts_of(registered, replicas, config); }

  void leave_out(std::ptrdiff_t trainer) {
    registered.erase(registered.begin() + trainer);
    replicas.erase(replicas.begin() + trainer);
  }
};

TEST(Registration, GivesEveryTrainerItsPart) {
  const std::vector<deliver::Part> parts = Layout(1, 2, 3).parts();

  EXPECT_EQ(parts, (std::vector<deliver::Part>{{0, deliver::kInputs},
                                               {0, deliver::kNoRows},
                                               {0, deliver::kTargets},
                                               {1, deliver::kInputs},
                                               {1, deliver::kNoRows},
                                               {1, deliver::kTargets}}));
  EXPECT_EQ(Layout(2, 1, 1).parts(), std::vector<deliver::Part>(2));
}

TEST(Registration, RefusesAContextParallelSizeOtherThanTheConfigurations) {
  Layout layout(2, 2, 1);
  layout.registered[3].coordinates = {};

  EXPECT_ERROR(layout.parts(), STOWAGE_MPI_ERROR,
               "trainer 3: context_parallel_size must be 2, as the configuration says (context_parallel), got 1");
}

TEST(Registration, RefusesARowThatNobodyWouldGet) {
  Layout no_labels(2, 2, 2);
  no_labels.leave_out(7);
  Layout no_tokens(1, 2, 2);
  no_tokens.leave_out(0);
  Layout no_middle(1, 1, 3);
  no_middle.leave_out(1);

  EXPECT_ERROR(no_labels.parts(), STOWAGE_MPI_ERROR,
               "no trainer gets the labels and loss mask of replica 1, context parallel rank 1");
  EXPECT_ERROR(no_tokens.parts(), STOWAGE_MPI_ERROR,
               "no trainer gets the tokens and positions of replica 0, context parallel rank 0");
  EXPECT_NO_THROW(no_middle.parts());
}

}  // namespace
}  // namespace stowage::loader
