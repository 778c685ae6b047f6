// SPDX-License-Identifier: Apache-2.0
#include "launch/srun_words.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::launch {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

const Words kPrefix{"run", "--rank", "folder"};

Words words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Words wrapped(const std::string& text) {
  return srun_words(words_of(text), kPrefix, "/nowhere");
}

TEST(SrunWords, ThePrefixComesBeforeTheProgram) {
  EXPECT_EQ(wrapped("-n 4 prog -n 5 a"), words_of("-n 4 run --rank folder prog -n 5 a"));
}

TEST(SrunWords, ValuesOfOptionsAreNoPrograms) {
  for (const char* options : {"-n4", "-n 4", "--ntasks=4", "--ntasks 4", "-l -n 4", "-ln 4", "-K0 -N 2", "-K -N 2",
                              "--kill-on-bad-exit --mpi pmix", "--label --ntasks 4", "--exclusive -c 2",
                              "--cpu-bind none --nodelist a,b", "--exclusive=user -u", "-I5 -n 2"}) {
    EXPECT_EQ(wrapped(std::string(options) + " prog a"), words_of(std::string(options) + " run --rank folder prog a"));
  }
}

TEST(SrunWords, TwoDashesEndTheOptions) {
  EXPECT_EQ(wrapped("-n 4 -- prog a"), words_of("-n 4 -- run --rank folder prog a"));
}

TEST(SrunWords, EveryPartOfAHeterogeneousStepIsWrapped) {
  EXPECT_EQ(wrapped("-n 4 prog a : -n 2 other"),
            words_of("-n 4 run --rank folder prog a : -n 2 run --rank folder other"));
}

TEST(SrunWords, FilesOfMultiProgAreRewritten) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("conf", "# ranks\n\n0-3  prog --rank %t \\\n  4 more\n4,5 stowage serve x.yaml\n");

  const Words words = srun_words({"-n", "6", "--multi-prog", file, "tail"}, kPrefix, folder.path());

  EXPECT_THAT(words, ElementsAre("-n", "6", "--multi-prog", folder.file("multi-prog.0"), "tail"));
  std::ostringstream text;
  text << std::ifstream(words[3]).rdbuf();
  EXPECT_EQ(
      text.str(),
      "# ranks\n\n0-3 run --rank folder  prog --rank %t \\\n  4 more\n4,5 run --rank folder stowage serve x.yaml\n");
}

TEST(SrunWords, WordsWithoutAProgramAreRefused) {
  for (const char* text : {"", "-n 4", "-n 4 :", "-n 4 prog : -n 2"}) {
    EXPECT_THROW(wrapped(text), Error) << text;
  }
}

TEST(SrunWords, AnAbsentFileOfMultiProgIsNamed) {
  try {
    srun_words({"--multi-prog", "/nowhere/conf"}, kPrefix, "/tmp");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), STOWAGE_IO_ERROR);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/conf"));
  }
}

}  // namespace
}  // namespace stowage::launch
