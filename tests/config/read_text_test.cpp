// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "config/parse.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::config::test {
namespace {

TEST(ReadText, GivesTheFileByteForByte) {
  const stowage::test::TemporaryFolder folder;
  const std::string content("a: 1\r\n\0\xFF", 8);
  const std::string file = folder.write("demo.yaml", content);

  EXPECT_EQ(read_text(file), content);
}

TEST(ReadText, GivesNothingForAnEmptyFile) {
  const stowage::test::TemporaryFolder folder;
  const std::string file = folder.write("demo.yaml", "");

  EXPECT_EQ(read_text(file), "");
}

TEST(ReadText, NamesAMissingFile) {
  const stowage::test::TemporaryFolder folder;
  const std::string file = folder.file("absent.yaml");

  EXPECT_ERROR(read_text(file), STOWAGE_IO_ERROR,
               "cannot read the configuration '" + file + "': No such file or directory");
}

TEST(ReadText, NamesADirectory) {
  const stowage::test::TemporaryFolder folder;
  const std::string file = folder.path().string();

  EXPECT_ERROR(read_text(file), STOWAGE_IO_ERROR,
               "cannot read the configuration '" + file + "': it is a directory, expected a YAML file");
}

}  // namespace
}  // namespace stowage::config::test
