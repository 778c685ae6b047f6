// SPDX-License-Identifier: Apache-2.0
// Inputs of many batches, and both formats of output.
#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "importer/fixture.hpp"
#include "support/errors.hpp"

namespace stowage::importer {
namespace {

// A reader of HDF5 shards that shares nothing with the library.
std::vector<std::uint64_t> read_plain_dataset(const std::string& path, const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  std::vector<std::uint64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return values;
}

// About 3 MiB of documents from 0 bytes to more than a batch, deterministic.
std::vector<std::string> many_documents() {
  std::vector<std::string> documents;
  std::uint32_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525 + 1013904223;
    const std::size_t length = i == 1500 ? 3 * BatchReader::kBatchBytes / 2 : state % 1000;
    std::string text;
    for (std::size_t at = 0; at < length; ++at) text.push_back(static_cast<char>(32 + (at + state) % 90));
    documents.push_back(std::move(text));
  }
  return documents;
}

class ImportTestOfManyBatches : public ImportTest {
 protected:
  void SetUp() override {
    std::string lines;
    for (const std::string& text : documents_) lines += nlohmann::json{{"text", text}}.dump() + "\n";
    std::filesystem::create_directories(folder_.file("files"));
    inputs_ = {folder_.write("lines.jsonl", lines), folder_.file("files"), folder_.write("more.jsonl", lines)};
    for (int i = 0; i < 50; ++i) {
      documents_.push_back(std::string(30'000, static_cast<char>('A' + i)));
      folder_.write(fmt::format("files/{:02}.txt", i), documents_.back());
    }
    for (std::size_t i = 0; i < 3000; ++i) documents_.push_back(documents_[i]);
  }

  std::vector<std::string> documents_ = many_documents();
  std::vector<std::string> inputs_;
};

TEST_F(ImportTestOfManyBatches, EveryTokenArrivesInPlace) {
  options_.threads = 3;

  const ImportSummary summary = import(inputs_);

  const Sequences found = sequences();
  ASSERT_EQ(found.size(), documents_.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], bytes(documents_[i])) << "document " << i;
  EXPECT_EQ(summary.documents, documents_.size());
  EXPECT_EQ(summary.input_bytes, summary.input_bytes_in_all);
}

TEST_F(ImportTestOfManyBatches, TheNumberOfThreadsDoesNotChangeAByteOfAMegatronPair) {
  import(inputs_);
  const std::string bin = test::read_file(folder_.file("out.bin"));
  const std::string idx = test::read_file(folder_.file("out.idx"));

  for (const unsigned threads : {2U, 4U, 7U}) {
    options_.threads = threads;
    options_.force = true;
    import(inputs_);

    EXPECT_TRUE(test::read_file(folder_.file("out.bin")) == bin) << threads << " threads";
    EXPECT_TRUE(test::read_file(folder_.file("out.idx")) == idx) << threads << " threads";
  }
}

TEST_F(ImportTestOfManyBatches, TheNumberOfThreadsDoesNotChangeAByteOfAnHdf5Shard) {
  options_.format = config::Format::hdf5;
  import(inputs_);
  const std::string one_thread = test::read_file(folder_.file("out"));
  options_.threads = 4;
  options_.force = true;

  import(inputs_);

  EXPECT_FALSE(one_thread.empty());
  EXPECT_TRUE(test::read_file(folder_.file("out")) == one_thread);
}

TEST_F(ImportTestOfManyBatches, Hdf5ShardsHoldTheSameTokens) {
  options_.format = config::Format::hdf5;
  options_.encode.append_eod = true;

  import(inputs_);

  std::vector<std::uint64_t> tokens;
  std::vector<std::uint64_t> offsets{0};
  for (const std::string& text : documents_) {
    for (const char byte : text) tokens.push_back(static_cast<unsigned char>(byte));
    tokens.push_back(256);
    offsets.push_back(tokens.size());
  }
  EXPECT_TRUE(read_plain_dataset(folder_.file("out"), "/tokens") == tokens);
  EXPECT_EQ(read_plain_dataset(folder_.file("out"), "/offsets"), offsets);
}

TEST_F(ImportTestOfManyBatches, ProgressCountsUpToTheWholeInput) {
  std::vector<std::uint64_t> bytes_done;
  options_.inputs = inputs_;

  const ImportSummary summary =
      run_import(options_, [&](const ImportSummary& so_far) { bytes_done.push_back(so_far.input_bytes); });

  EXPECT_GT(bytes_done.size(), 5U);
  EXPECT_TRUE(std::is_sorted(bytes_done.begin(), bytes_done.end()));
  EXPECT_EQ(bytes_done.back(), summary.input_bytes_in_all);
}

TEST_F(ImportTestOfManyBatches, TokensAreWrittenInTheTypeAsked) {
  import(inputs_);
  const auto narrow = std::filesystem::file_size(folder_.file("out.bin"));
  options_.type = source::TokenType::i32;
  options_.force = true;

  import(inputs_);

  EXPECT_EQ(std::filesystem::file_size(folder_.file("out.bin")), 2 * narrow);
  EXPECT_EQ(sequences().back(), bytes(documents_.back()));
}

TEST_F(ImportTestOfManyBatches, TheFirstErrorInInputOrderIsReportedWhateverTheThreads) {
  std::string lines;
  for (int i = 1; i <= 100'000; ++i) lines += i == 70'000 || i == 99'000 ? "oops\n" : "{\"text\": \"some words\"}\n";
  const std::string input = folder_.write("bad.jsonl", lines);

  for (const unsigned threads : {1U, 4U}) {
    options_.threads = threads;
    try {
      import({input});
      ADD_FAILURE() << "imported a bad line";
    } catch (const Error& error) {
      EXPECT_EQ(std::string_view(error.what()).substr(0, input.size() + 8), input + ":70000: ")
          << threads << " threads";
    }
  }
}

TEST_F(ImportTestOfManyBatches, AnUnreadableLaterInputDoesNotHideAnEarlierError) {
  std::string lines;
  for (int i = 1; i <= 60'000; ++i) lines += i == 59'000 ? "oops\n" : "{\"text\": \"some words\"}\n";  // two batches
  const std::string later = folder_.write("later.jsonl", "{\"text\": \"x\"}\n");
  options_.inputs = {folder_.write("bad.jsonl", lines), later};
  options_.threads = 2;
  const auto remove_later = [&](const ImportSummary&) { std::filesystem::remove(later); };

  EXPECT_ERROR(run_import(options_, remove_later), STOWAGE_DATA_ERROR, "bad.jsonl:59000: ");
}

}  // namespace
}  // namespace stowage::importer
