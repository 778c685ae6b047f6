// SPDX-License-Identifier: Apache-2.0
// What an import refuses, with which message, and that nothing is left behind.
#include <filesystem>
#include <set>

#include "importer/fixture.hpp"
#include "support/errors.hpp"

namespace stowage::importer {
namespace {

class ImportRefusals : public ImportTest {
 protected:
  // Of one bad line behind a good one.
  void expect_refused(const std::string& line, const std::string& problem) {
    const std::string input = folder_.write("a.jsonl", "{\"text\": \"a\"}\n" + line + "\n");
    EXPECT_ERROR(import({input}), STOWAGE_DATA_ERROR, input + ":2: " + problem);
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) names.insert(entry.path().filename());
    return names;
  }
};

TEST_F(ImportRefusals, ABadLineIsNamedWithItsProblem) {
  expect_refused("{\"text\": \"b\"",
                 "malformed JSON at byte 13: syntax error while parsing object - unexpected end of input");
  expect_refused("not json", "malformed JSON at byte 2: ");
  expect_refused("{\"text\": \"\xC3\x28\"}", "malformed JSON at byte 12: ");
  expect_refused("[1]", "expected a JSON object, found array");
  expect_refused("{\"text\": 5}", "expected a string under 'text', found number");
  expect_refused("{\"body\": \"b\", \"id\": 1}",
                 "expected the key 'text', found 'body', 'id'; name another with --text-key");
  expect_refused("{}", "expected the key 'text', found none");
}

TEST_F(ImportRefusals, AMessageDoesNotRepeatTheDocument) {
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"" + std::string(100'000, 'x') + "\n");

  try {
    import({input});
    ADD_FAILURE() << "imported a line without end";
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 500U) << error.what();
  }
}

TEST_F(ImportRefusals, AFailedImportLeavesNothingBehind) {
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"a\"}\noops\n");

  for (const config::Format format : {config::Format::megatron, config::Format::hdf5}) {
    options_.format = format;
    EXPECT_ERROR(import({input}), STOWAGE_DATA_ERROR, ":2: ");
  }

  EXPECT_EQ(files(), (std::set<std::string>{"a.jsonl"}));
}

TEST_F(ImportRefusals, ExistingOutputIsKeptWithoutForce) {
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"new\"}\n");
  folder_.write("out.idx", "old");
  folder_.write("out", "old");

  EXPECT_ERROR(import({input}), STOWAGE_IO_ERROR, folder_.file("out.idx"));
  options_.format = config::Format::hdf5;
  EXPECT_ERROR(import({input}), STOWAGE_IO_ERROR, folder_.file("out"));

  EXPECT_EQ(test::read_file(folder_.file("out.idx")), "old");
  EXPECT_EQ(test::read_file(folder_.file("out")), "old");
}

TEST_F(ImportRefusals, ExistingOutputIsReplacedByForce) {
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"new\"}\n");
  folder_.write("out.idx", "old");
  folder_.write("out.bin", "old");
  options_.force = true;

  import({input});

  EXPECT_EQ(sequences(), (Sequences{bytes("new")}));
}

TEST_F(ImportRefusals, AFolderWithoutAMatchingFileIsNamed) {
  std::filesystem::create_directories(folder_.file("in"));
  folder_.write("in/a.md", "a");

  EXPECT_ERROR(import({folder_.file("in")}), STOWAGE_IO_ERROR,
               folder_.file("in") + ": no file below this folder matches *.txt");
}

TEST_F(ImportRefusals, MissingInputIsNamed) {
  EXPECT_ERROR(import({folder_.file("none.jsonl")}), STOWAGE_IO_ERROR, "none.jsonl: No such file or directory");
}

TEST_F(ImportRefusals, CompressedInputIsNotTakenForText) {
  const std::string input = folder_.write("a.jsonl.gz", "\x1F\x8B");

  EXPECT_ERROR(import({input}), STOWAGE_INVALID_ARGUMENT, "a.jsonl.gz: compressed input cannot be imported");
}

TEST_F(ImportRefusals, AnImportOfNoDocumentsSaysWhatItFound) {
  options_.encode.skip_empty = true;
  options_.encode.skip_bad = true;
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"\"}\noops\n");

  EXPECT_ERROR(import({input}), STOWAGE_DATA_ERROR,
               "1 files of 18 bytes have 1 documents without text and 1 bad lines");
  EXPECT_ERROR(import({folder_.write("b.jsonl", "")}), STOWAGE_DATA_ERROR, "no document to import: 1 files of 0 bytes");
}

TEST_F(ImportRefusals, ZeroThreadsAreRefused) {
  options_.threads = 0;

  EXPECT_ERROR(import({folder_.write("a.txt", "a")}), STOWAGE_INVALID_ARGUMENT, "threads must be >= 1, got 0");
}

}  // namespace
}  // namespace stowage::importer
