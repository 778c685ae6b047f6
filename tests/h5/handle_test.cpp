// SPDX-License-Identifier: Apache-2.0
#include "h5/handle.hpp"

#include "support/errors.hpp"

namespace stowage::h5 {
namespace {

SpaceId make_space() {
  return SpaceId(call({"create", "a space", "test"}, H5Screate, H5S_SCALAR));
}

bool is_open(hid_t id) {
  return H5Iis_valid(id) > 0;
}

TEST(Handle, ClosesItsIdentifierAtTheEndOfItsScope) {
  hid_t id = H5I_INVALID_HID;

  {
    const SpaceId space = make_space();
    id = space.id();
    EXPECT_TRUE(is_open(id));
  }

  EXPECT_FALSE(is_open(id));
}

TEST(Handle, MovesItsIdentifierAndLeavesNothingBehind) {
  SpaceId first = make_space();
  const hid_t id = first.id();

  SpaceId second(std::move(first));

  EXPECT_FALSE(static_cast<bool>(first));  // NOLINT(bugprone-use-after-move): what is left is what is tested
  EXPECT_EQ(second.id(), id);
  EXPECT_TRUE(is_open(id));
}

TEST(Handle, AssignmentClosesWhatItReplaces) {
  SpaceId target = make_space();
  const hid_t replaced = target.id();
  SpaceId source = make_space();
  const hid_t kept = source.id();

  target = std::move(source);

  EXPECT_FALSE(is_open(replaced));
  EXPECT_EQ(target.id(), kept);
}

TEST(Handle, DestructorOfABrokenIdentifierIsSilent) {
  SpaceId space = make_space();
  H5Sclose(space.id());

  testing::internal::CaptureStderr();
  space.reset();
  const std::string printed = testing::internal::GetCapturedStderr();

  EXPECT_EQ(printed, "");
}

TEST(Handle, CheckedCloseReportsABrokenIdentifier) {
  SpaceId space = make_space();
  H5Sclose(space.id());

  EXPECT_ERROR(space.close({"close", "a space", "data.h5"}), STOWAGE_DATA_ERROR,
               "data.h5: cannot close a space: HDF5: ");
}

TEST(Call, FailureBecomesOneErrorWithTheInnermostReason) {
  EXPECT_ERROR(call({"open", "", "missing.h5", STOWAGE_IO_ERROR}, H5Fopen, "missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT),
               STOWAGE_IO_ERROR,
               "missing.h5: cannot open: HDF5: unable to open file: name = 'missing.h5', errno = 2, error message = "
               "'No such file or directory'");
}

TEST(Call, FailurePrintsNothing) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(call({"open", "", "missing.h5"}, H5Fopen, "missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT), Error);
  const std::string printed = testing::internal::GetCapturedStderr();

  EXPECT_EQ(printed, "");
}

TEST(Call, LeavesTheApplicationsErrorHandlerInPlace) {
  int reports = 0;
  const auto count = [](hid_t, void* data) -> herr_t { return static_cast<herr_t>(++*static_cast<int*>(data)); };
  H5Eset_auto2(H5E_DEFAULT, count, &reports);

  EXPECT_THROW(call({"open", "", "missing.h5"}, H5Fopen, "missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT), Error);
  EXPECT_EQ(reports, 0);
  H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT);

  EXPECT_EQ(reports, 1);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace
}  // namespace stowage::h5
