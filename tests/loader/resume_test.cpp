// SPDX-License-Identifier: Apache-2.0
#include "loader/resume.hpp"

#include "support/errors.hpp"

namespace stowage::loader {
namespace {

Resume asked(Resume::From from, std::uint64_t step = 0) {
  return {.directory = "saved", .from = from, .step = step};
}

TEST(Resume, GoesWhereTheLoadersWereToldIfTrainersNameNoStep) {
  EXPECT_EQ(agreed_with(asked(Resume::From::newest), {-1, -1}).from, Resume::From::newest);
  EXPECT_EQ(agreed_with(asked(Resume::From::beginning), {-1}).from, Resume::From::beginning);
  EXPECT_EQ(agreed_with(asked(Resume::From::step, 7), {-1}).step, 7U);
}

TEST(Resume, GoesToTheStepThatAllTrainersName) {
  for (const Resume& resume : {asked(Resume::From::newest), asked(Resume::From::step, 9)}) {
    const Resume agreed = agreed_with(resume, {9, 9, 9});

    EXPECT_EQ(agreed.from, Resume::From::step);
    EXPECT_EQ(agreed.step, 9U);
    EXPECT_EQ(agreed.directory, "saved");
  }
  EXPECT_EQ(agreed_with(asked(Resume::From::beginning), {0, 0}).step, 0U);
}

TEST(Resume, RefusesContradictions) {
  EXPECT_ERROR(agreed_with(asked(Resume::From::newest), {3, 4}), STOWAGE_MPI_ERROR,
               "expected the same resume_step in the options of all trainers, found 3 and 4");
  EXPECT_ERROR(agreed_with(asked(Resume::From::step, 8), {9}), STOWAGE_MPI_ERROR,
               "the trainers want to go on with step 9 (resume_step), the loaders were started with --resume 8");
  EXPECT_ERROR(agreed_with(asked(Resume::From::beginning), {9}), STOWAGE_MPI_ERROR, "started with --resume none");
}

}  // namespace
}  // namespace stowage::loader
