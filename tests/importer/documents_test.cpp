// SPDX-License-Identifier: Apache-2.0
// Which documents come out of which input.
#include <filesystem>

#include "importer/fixture.hpp"

namespace stowage::importer {
namespace {

using ImportDocuments = ImportTest;

TEST_F(ImportDocuments, EachJsonLineIsOneSequenceAndOneDocument) {
  const std::string input = folder_.write("a.jsonl", R"({"id": 1, "text": "ab"}
{"text": "c\n\u0000\"d", "meta": {"text": "no"}}
)");

  const ImportSummary summary = import({input});

  const test::PlainMegatron shard = test::read_plain_megatron(folder_.file("out"));
  EXPECT_EQ(shard.sequences, (Sequences{bytes("ab"), bytes(std::string_view("c\n\0\"d", 5))}));
  EXPECT_EQ(shard.documents, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(summary.documents, 2U);
  EXPECT_EQ(summary.tokens, 7U);
  EXPECT_EQ(summary.input_bytes, std::filesystem::file_size(input));
}

TEST_F(ImportDocuments, Utf8AndItsEscapesAreTheSameBytes) {
  const std::string input = folder_.write("a.jsonl",
                                          "{\"text\": \"\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x9A\xA2\"}\n"
                                          "{\"text\": \"\\u00e9\\u4e2d\\ud83d\\udea2\"}\n");

  import({input});

  const std::vector<std::int64_t> expected = bytes("\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x9A\xA2");
  EXPECT_EQ(sequences(), (Sequences{expected, expected}));
}

TEST_F(ImportDocuments, AnEmptyFirstDocumentIsKeptAsASequenceOfLengthZero) {
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"\"}\n{\"text\": \"x\"}\n{\"text\": \"\"}\n");

  const ImportSummary summary = import({input});

  EXPECT_EQ(sequences(), (Sequences{{}, bytes("x"), {}}));
  EXPECT_EQ(summary.documents, 3U);
  EXPECT_EQ(summary.empty, 2U);
}

TEST_F(ImportDocuments, EmptyDocumentsAreSkippedOnRequestAndCounted) {
  options_.encode.skip_empty = true;
  options_.encode.append_eod = true;
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"\"}\n{\"text\": \"x\"}\n{\"text\": \"\"}\n");

  const ImportSummary summary = import({input});

  EXPECT_EQ(sequences(), (Sequences{{'x', 256}}));
  EXPECT_EQ(summary.documents, 1U);
  EXPECT_EQ(summary.empty, 2U);
}

TEST_F(ImportDocuments, TheEndOfADocumentIsMarkedOnRequest) {
  options_.encode.append_eod = true;
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"xy\"}\n{\"text\": \"\"}\n");

  const ImportSummary summary = import({input});

  EXPECT_EQ(sequences(), (Sequences{{'x', 'y', 256}, {256}}));
  EXPECT_EQ(summary.tokens, 4U);
}

TEST_F(ImportDocuments, BlankLinesAndLineEndsOfEitherKindAreNoDocuments) {
  const std::string input =
      folder_.write("a.jsonl", "\n{\"text\": \"a\"}\r\n \t\r\n{\"text\": \"b\"}\n\n{\"text\": \"c\"}");

  const ImportSummary summary = import({input});

  EXPECT_EQ(sequences(), (Sequences{bytes("a"), bytes("b"), bytes("c")}));
  EXPECT_EQ(summary.bad, 0U);
}

TEST_F(ImportDocuments, TheTextIsFoundUnderTheKeyAsked) {
  options_.encode.text_key = "body";
  const std::string input = folder_.write("a.jsonl", "{\"text\": 1, \"body\": \"b\"}\n");

  import({input});

  EXPECT_EQ(sequences(), (Sequences{bytes("b")}));
}

TEST_F(ImportDocuments, FoldersAreReadBelowTheirSubfoldersInOrderOfTheirPaths) {
  std::filesystem::create_directories(folder_.file("in/b/deep"));
  folder_.write("in/c.txt", "c");
  folder_.write("in/b/deep/2.txt",
                "\xFF"
                "2\n");
  folder_.write("in/b/1.txt", "1");
  folder_.write("in/b/1.md", "not asked");
  folder_.write("in/a.txt", "");

  const ImportSummary summary = import({folder_.file("in")});

  EXPECT_EQ(sequences(), (Sequences{{},
                                    bytes("1"),
                                    bytes("\xFF"
                                          "2\n"),
                                    bytes("c")}));
  EXPECT_EQ(summary.files, 4U);
}

TEST_F(ImportDocuments, InputsOfDifferentKindsAreReadInTheOrderGiven) {
  std::filesystem::create_directories(folder_.file("in"));
  folder_.write("in/x.jsonl", "{\"text\": \"x\"}\n");
  folder_.write("in/y.md", "y");
  const std::string first = folder_.write("first.jsonl", "{\"text\": \"1\"}\n");
  const std::string last = folder_.write("last", "{\"text\": \"2\"}\n");
  options_.globs = {"*.jsonl", "*.md"};

  import({first, folder_.file("in"), last});

  EXPECT_EQ(sequences(), (Sequences{bytes("1"), bytes("x"), bytes("y"), bytes("{\"text\": \"2\"}\n")}));
}

TEST_F(ImportDocuments, TheKindOfInputCanBeForced) {
  const std::string input = folder_.write("lines", "{\"text\": \"2\"}\n");
  options_.kind = InputKind::jsonl;

  import({input});

  EXPECT_EQ(sequences(), (Sequences{bytes("2")}));
}

TEST_F(ImportDocuments, SkippedBadLinesAreCounted) {
  options_.encode.skip_bad = true;
  const std::string input = folder_.write("a.jsonl", "{\"text\": \"a\"\n{\"text\": \"b\"}\n[]\n{\"text\": null}\n");

  const ImportSummary summary = import({input});

  EXPECT_EQ(sequences(), (Sequences{bytes("b")}));
  EXPECT_EQ(summary.bad, 3U);
}

}  // namespace
}  // namespace stowage::importer
