// SPDX-License-Identifier: Apache-2.0
// Pairs that other programs wrote, against a reader of ten lines.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "source/input_file.hpp"
#include "source/shard.hpp"
#include "source/tokens.hpp"
#include "support/errors.hpp"

namespace stowage::source {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The independent reader: the tokens of every sequence, and how many sequences each document has.
struct Independent {
  std::vector<std::vector<std::int64_t>> sequences;
  std::vector<std::int64_t> boundaries;
};

Independent read_independently(const std::string& prefix) {
  const std::string idx = slurp(prefix + ".idx"), bin = slurp(prefix + ".bin");
  const bool wide = idx[17] == 4;
  const auto n = at<std::uint64_t>(idx, 18), d = at<std::uint64_t>(idx, 26);
  Independent result;
  for (std::size_t s = 0; s < n; ++s) {
    const auto pointer = static_cast<std::size_t>(at<std::int64_t>(idx, 34 + 4 * n + 8 * s));
    std::vector<std::int64_t> tokens;
    for (std::size_t t = 0; t < static_cast<std::size_t>(at<std::int32_t>(idx, 34 + 4 * s)); ++t) {
      tokens.push_back(wide ? at<std::int32_t>(bin, pointer + 4 * t) : at<std::uint16_t>(bin, pointer + 2 * t));
    }
    result.sequences.push_back(std::move(tokens));
  }
  for (std::size_t i = 0; i < d; ++i) result.boundaries.push_back(at<std::int64_t>(idx, 34 + 12 * n + 8 * i));
  return result;
}

std::vector<std::int64_t> read_entry(const InputFile& file, const Shard& shard, std::uint64_t entry) {
  const std::uint64_t count = shard.begin[entry + 1] - shard.begin[entry];
  Bytes raw(count * token_bytes(shard.type));
  file.read(shard.base + shard.begin[entry] * token_bytes(shard.type), raw);
  std::vector<std::int64_t> tokens(count);
  widen(raw, shard.type, tokens);
  return tokens;
}

class RealPair : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(prefix_ + ".idx")) GTEST_SKIP() << "real input absent: " << prefix_ << ".idx";
  }

  const std::string prefix_ = std::string(STOWAGE_DATA_DIR "/binidx/") + GetParam();
};

TEST_P(RealPair, EveryTokenEqualsAnIndependentReaders) {
  const Independent expected = read_independently(prefix_);

  const Shard shard = open_megatron(prefix_, config::SampleUnit::sequence);

  const InputFile file(shard.token_file);
  ASSERT_EQ(shard.sequences(), expected.sequences.size());
  for (std::uint64_t s = 0; s < shard.sequences(); ++s) {
    ASSERT_EQ(read_entry(file, shard, s), expected.sequences[s]) << "sequence " << s;
  }
}

TEST_P(RealPair, EveryDocumentIsItsSequencesJoined) {
  const Independent expected = read_independently(prefix_);

  const Shard shard = open_megatron(prefix_, config::SampleUnit::document);

  const InputFile file(shard.token_file);
  ASSERT_EQ(shard.sequences(), expected.boundaries.size() - 1);
  for (std::uint64_t d = 0; d < shard.sequences(); ++d) {
    std::vector<std::int64_t> joined;
    for (std::int64_t s = expected.boundaries[d]; s < expected.boundaries[d + 1]; ++s) {
      const auto& tokens = expected.sequences[static_cast<std::size_t>(s)];
      joined.insert(joined.end(), tokens.begin(), tokens.end());
    }
    ASSERT_EQ(read_entry(file, shard, d), joined) << "document " << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RealPair,
                         testing::Values("meg-gpt2-openwebtext_text_document", "ag_news_prompt_inputs_document",
                                         "ag_news_prompt_targets_document", "nvidia_fim_text_document",
                                         "nvidia_test_text_document", "megatron2_my-bert_text_sentence",
                                         "megatron2_test_samples_mmap_text_sentence"));

}  // namespace
}  // namespace stowage::source
