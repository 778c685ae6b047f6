// SPDX-License-Identifier: Apache-2.0
#include "h5/image.hpp"

#include <filesystem>

#include "h5/attribute.hpp"
#include "h5/dataset.hpp"
#include "h5/string.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::h5 {
namespace {

Bytes sample(const std::string& path) {
  const File file = create_in_memory(path);
  write_attribute({file.id(), path}, "answer", std::uint64_t{42});
  create_small_group(file, "/group");
  write_text(file, "/group/text", "two\nlines");
  write_text(file, "/group/nothing", "");
  return image(file);
}

TEST(Image, OpensAgainWithWhatWasWritten) {
  const Bytes bytes = sample("made.h5");

  const File file = open_image(bytes, "found.h5");

  EXPECT_EQ(read_attribute<std::uint64_t>({file.id(), file.path()}, "answer"), 42U);
  EXPECT_EQ(read_text(file, "/group/text"), "two\nlines");
  EXPECT_EQ(read_text(file, "/group/nothing"), "");
}

TEST(Image, IsSmallAndTheSameEveryTime) {
  EXPECT_LT(sample("a.h5").size(), 2000U);
  EXPECT_EQ(sample("a.h5"), sample("b.h5"));
}

TEST(Image, IsAFileForEveryOneElse) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("image.h5", text_of(sample("image.h5")));

  EXPECT_EQ(read_text(File::open_read(path), "/group/text"), "two\nlines");
  // Under the name of a file that exists, too.
  EXPECT_EQ(read_text(open_image(sample(path), path), "/group/text"), "two\nlines");
}

TEST(Image, TouchesNoFile) {
  const test::TemporaryFolder folder;

  open_image(sample(folder.file("image.h5")), folder.file("image.h5"));

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Image, WhatIsNoHdf5IsRefused) {
  EXPECT_ERROR(open_image({}, "x.h5"), STOWAGE_DATA_ERROR, "x.h5: cannot open: expected an HDF5 file, found 0 bytes");
  EXPECT_ERROR(open_image(Bytes(100), "x.h5"), STOWAGE_DATA_ERROR, "x.h5: cannot open: HDF5: ");
}

TEST(Text, AnArrayIsRefused) {
  const File file = create_in_memory("x.h5");
  write_strings(file, "/many", {"a", "b"});

  EXPECT_ERROR(read_text(file, "/many"), STOWAGE_DATA_ERROR, "x.h5: /many: expected a scalar, found an array");
}

}  // namespace
}  // namespace stowage::h5
