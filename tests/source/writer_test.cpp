// SPDX-License-Identifier: Apache-2.0
// What is written is what is read, in both formats.
#include "source/writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "source/contents.hpp"
#include "source/input_file.hpp"
#include "source/tokens.hpp"
#include "source/verify.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::source {
namespace {

using test::TemporaryFolder;
using Document = std::vector<std::vector<std::uint32_t>>;  // sequences
using Factory = std::unique_ptr<ShardWriter> (*)(const std::string&, const WriterOptions&);

WriterOptions options_of(TokenType type, std::uint64_t vocab_size = 0) {
  WriterOptions options;
  options.type = type;
  options.vocab_size = vocab_size;
  return options;
}

void write_all(ShardWriter& writer, const std::vector<Document>& documents) {
  for (const Document& document : documents) {
    for (const auto& sequence : document) writer.add(sequence);
    writer.end_document();
  }
  writer.close();
}

std::vector<std::uint32_t> tokens_of(const InputFile& file, const Shard& shard, std::uint64_t sequence) {
  const std::uint64_t width = token_bytes(shard.type);
  Bytes raw((shard.begin[sequence + 1] - shard.begin[sequence]) * width);
  file.read(shard.base + shard.begin[sequence] * width, raw);
  std::vector<std::uint32_t> tokens(raw.size() / width);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = static_cast<std::uint32_t>(token_at(raw, shard.type, i));
  }
  return tokens;
}

std::vector<Document> read_all(const std::string& path) {
  const Contents contents = read_contents(path);
  const InputFile file(contents.shard.token_file);
  std::vector<Document> documents(contents.documents.size() - 1);
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (std::uint64_t s = contents.documents[d]; s < contents.documents[d + 1]; ++s) {
      documents[d].push_back(tokens_of(file, contents.shard, s));
    }
  }
  return documents;
}

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_empty(const TemporaryFolder& folder) {
  return std::filesystem::is_empty(folder.path());
}

struct Format {
  const char* name;
  Factory make;
};

// Keeps test names free of function addresses.
void PrintTo(const Format& format, std::ostream* out) {
  *out << format.name;
}

class Writer : public testing::TestWithParam<Format> {
 protected:
  std::unique_ptr<ShardWriter> make(const WriterOptions& options) const { return GetParam().make(path_, options); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("shard");
};

TEST_P(Writer, EveryTypeComesBackAsWritten) {
  const std::vector<Document> documents{{{0, 1, 127}, {5}}, {{100, 99}}};

  for (const TokenType type :
       {TokenType::u8, TokenType::i8, TokenType::u16, TokenType::i16, TokenType::i32, TokenType::i64}) {
    WriterOptions options = options_of(type);
    options.force = true;
    write_all(*make(options), documents);
    EXPECT_EQ(read_contents(path_).shard.type, type);
    EXPECT_EQ(read_all(path_), documents) << token_type_name(type);
  }
}

TEST_P(Writer, ZeroLengthSequencesAndEmptyDocumentsComeBack) {
  const std::vector<Document> documents{{}, {{}, {1, 2}, {}}, {}, {{}}, {}};

  write_all(*make(options_of(TokenType::u16)), documents);

  EXPECT_EQ(read_all(path_), documents);
}

TEST_P(Writer, OnlyZeroLengthSequencesComeBack) {
  const std::vector<Document> documents{{{}, {}}};

  write_all(*make(options_of(TokenType::u16)), documents);

  EXPECT_EQ(read_all(path_), documents);
}

TEST_P(Writer, ManyDocumentsOfManyBlocksComeBack) {
  std::vector<Document> documents(300);
  std::uint32_t id = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    documents[d].resize(1 + d % 3);
    for (auto& sequence : documents[d]) {
      for (std::size_t i = 0; i < d * 7; ++i) sequence.push_back(id++ % 60000);
    }
  }

  write_all(*make(options_of(TokenType::u16, 60000)), documents);

  EXPECT_EQ(read_all(path_), documents);
}

TEST_P(Writer, TheSameCallsGiveTheSameBytes) {
  const std::vector<Document> documents{{{1, 2, 3}}, {{4}}};
  WriterOptions options = options_of(TokenType::u16, 100);
  options.force = true;

  write_all(*make(options), documents);
  std::vector<std::string> first;
  for (const char* suffix : {"", ".bin", ".idx"}) first.push_back(content_of(path_ + suffix));
  write_all(*make(options), documents);

  for (std::size_t i = 0; const char* suffix : {"", ".bin", ".idx"}) EXPECT_EQ(content_of(path_ + suffix), first[i++]);
}

TEST_P(Writer, AnIdThatDoesNotFitTheTypeIsRefusedAndNotWritten) {
  const auto writer = make(options_of(TokenType::u16));
  writer->add(std::vector<std::uint32_t>{1, 2});

  EXPECT_ERROR(writer->add(std::vector<std::uint32_t>{7, 65536}), STOWAGE_INVALID_ARGUMENT,
               path_ + ": sequence 1, token 1: expected an id of at most 65535 (the largest of type u16), found 65536");
  writer->end_document();
  writer->close();

  EXPECT_EQ(read_all(path_), (std::vector<Document>{{{1, 2}}}));
}

TEST_P(Writer, AnIdPastTheVocabularyIsRefused) {
  const auto writer = make(options_of(TokenType::i32, 50257));

  EXPECT_ERROR(
      writer->add(std::vector<std::uint32_t>{50257}), STOWAGE_INVALID_ARGUMENT,
      path_ + ": sequence 0, token 0: expected an id of at most 50256 (the vocabulary has 50257), found 50257");
}

TEST_P(Writer, AVocabularyThatDoesNotFitTheTypeIsRefusedAtOnce) {
  EXPECT_ERROR(make(options_of(TokenType::u16, 119547)), STOWAGE_INVALID_ARGUMENT,
               path_ + ": token type u16 holds ids up to 65535, but the vocabulary has 119547");
  EXPECT_NO_THROW(make(options_of(TokenType::u16, 65536)));
}

TEST_P(Writer, ClosingWithoutSequencesIsRefused) {
  const auto writer = make(options_of(TokenType::u16));
  writer->end_document();

  EXPECT_ERROR(writer->close(), STOWAGE_INVALID_ARGUMENT,
               path_ + ": nothing to write: expected at least 1 sequence, got 0");
}

TEST_P(Writer, ClosingInsideADocumentIsRefused) {
  const auto writer = make(options_of(TokenType::u16));
  writer->add({});
  writer->end_document();
  writer->add({});

  EXPECT_ERROR(writer->close(), STOWAGE_INVALID_ARGUMENT,
               path_ + ": the last document was not ended: 1 of 2 sequences belong to none");
}

TEST_P(Writer, NothingMayFollowClose) {
  const auto writer = make(options_of(TokenType::u16));
  write_all(*writer, {{{1}}});

  EXPECT_ERROR(writer->add({}), STOWAGE_STATE_ERROR, path_ + ": the writer is closed");
  EXPECT_ERROR(writer->end_document(), STOWAGE_STATE_ERROR, path_ + ": the writer is closed");
  EXPECT_ERROR(writer->close(), STOWAGE_STATE_ERROR, path_ + ": the writer is closed");
}

TEST_P(Writer, WithoutCloseNothingIsLeftBehind) {
  {
    const auto writer = make(options_of(TokenType::u16));
    writer->add(std::vector<std::uint32_t>(3'000'000, 1));
    writer->end_document();
    EXPECT_FALSE(is_empty(folder_));
  }

  EXPECT_TRUE(is_empty(folder_));
}

TEST_P(Writer, ExistingFilesAreNotReplacedUnlessAsked) {
  write_all(*make(options_of(TokenType::u16)), {{{1}}});

  EXPECT_ERROR(make(options_of(TokenType::u16)), STOWAGE_IO_ERROR,
               " exists; choose another name or ask for it to be replaced");
  WriterOptions options = options_of(TokenType::u16);
  options.force = true;
  write_all(*make(options), {{{2}}});

  EXPECT_EQ(read_all(path_), (std::vector<Document>{{{2}}}));
}

TEST_P(Writer, AFileThatAppearsMeanwhileIsNotReplaced) {
  const auto first = make(options_of(TokenType::u16));
  const auto second = make(options_of(TokenType::u16));
  write_all(*first, {{{1}}});

  EXPECT_ERROR(write_all(*second, {{{2}}}), STOWAGE_IO_ERROR, " exists; ");

  EXPECT_EQ(read_all(path_), (std::vector<Document>{{{1}}}));
}

INSTANTIATE_TEST_SUITE_P(Formats, Writer,
                         testing::Values(Format{"megatron", &make_megatron_writer}, Format{"hdf5", &make_hdf5_writer}),
                         [](const auto& info) { return std::string(info.param.name); });

RC_GTEST_PROP(WriterProperty, AnyDocumentsComeBackFromBothFormats, (std::vector<Document> documents)) {
  RC_PRE(std::ranges::any_of(documents, [](const Document& document) { return !document.empty(); }));
  const TemporaryFolder folder;
  for (Document& document : documents) {
    for (auto& sequence : document) {
      for (std::uint32_t& id : sequence) id %= 50000;
    }
  }

  write_all(*make_megatron_writer(folder.file("pair"), options_of(TokenType::u16)), documents);
  write_all(*make_hdf5_writer(folder.file("shard.h5"), options_of(TokenType::u16)), documents);

  RC_ASSERT(read_all(folder.file("pair")) == documents);
  RC_ASSERT(read_all(folder.file("shard.h5")) == documents);
}

TEST(MegatronWriter, ATypeThatTheFormatLacksIsRefused) {
  EXPECT_ERROR(make_megatron_writer("/tmp/never", options_of(TokenType::u32)), STOWAGE_INVALID_ARGUMENT,
               "the Megatron format has no token type u32; use i32 or i64");
}

TEST(MegatronWriter, ReplacingAPairRemovesTheOldIndexBeforeTheTokensChange) {
  const TemporaryFolder folder;
  const std::string prefix = folder.file("pair");
  write_all(*make_megatron_writer(prefix, options_of(TokenType::u16)), {{{1}}});
  std::filesystem::remove(prefix + ".bin");
  std::filesystem::create_directory(prefix + ".bin");  // so that the tokens cannot be renamed into place
  WriterOptions options = options_of(TokenType::u16);
  options.force = true;

  EXPECT_THROW(write_all(*make_megatron_writer(prefix, options), {{{2}}}), Error);

  EXPECT_FALSE(std::filesystem::exists(prefix + ".idx"));
}

TEST(Hdf5Writer, VocabularyTokenizerAndProvenanceComeBack) {
  const TemporaryFolder folder;
  const std::string path = folder.file("shard.h5");
  WriterOptions options = options_of(TokenType::u32, 4'000'000'000);
  options.tokenizer = "bytes";
  options.provenance = {"a.jsonl", "folder/größer.txt"};

  write_all(*make_hdf5_writer(path, options), {{{3'999'999'999}}});
  const Contents contents = read_hdf5(path);

  EXPECT_EQ(contents.shard.vocab_size, 4'000'000'000U);
  ASSERT_TRUE(contents.provenance.has_value());
  EXPECT_EQ(contents.provenance->tokenizer, "bytes");
  EXPECT_EQ(contents.provenance->inputs, options.provenance);
  EXPECT_EQ(contents.provenance->tool.substr(0, 8), "stowage ");
  EXPECT_EQ(read_all(path), (std::vector<Document>{{{3'999'999'999}}}));
}

TEST(DefaultTokenType, IsWhatMegatronsToolsChoose) {
  EXPECT_EQ(default_token_type(65499), TokenType::u16);
  EXPECT_EQ(default_token_type(65500), TokenType::i32);
  EXPECT_EQ(default_token_type(0), TokenType::i32);
}

}  // namespace
}  // namespace stowage::source
