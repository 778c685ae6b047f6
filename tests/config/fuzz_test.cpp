// SPDX-License-Identifier: Apache-2.0
// Malformed text never crashes the reader, and what it accepts keeps the promises of config.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "config/documents.hpp"

namespace stowage::config::test {
namespace {

constexpr std::string_view kFull =
    "# a comment\n"
    "seed: 1234\n"
    "data_parallel: 4\n"
    "context_parallel: 8\n"
    "steps: 60\n"
    "batch: {sequences: 64, last: deliver}\n"
    "micro_batch:\n"
    "  tokens: 8192\n"
    "  pad_segments_to: 16\n"
    "  pad_to_cap: false\n"
    "over_long: split\n"
    "cost: {linear: 24576, quadratic: 1}\n"
    "limits: {open_files: 64, acquire_seconds: 120}\n"
    "sources:\n"
    "  - &a {name: books, format: megatron, path: \"data/bo\\u00e9ks\", weight: 1, order: shuffled}\n"
    "  - name: 'code'\n"
    "    format: hdf5\n"
    "    path: [x, y]\n"
    "    weight: 2.5e-1\n"
    "    vocab_size: 256\n";

constexpr std::array<std::string_view, 36> kFragments{
    "\n",    " ",     "  ", "\t", ":",   ": ",   "- ",  "? ",     "{",    "}",        "[",    "]",
    ",",     "\"",    "'",  "#",  "&a ", "*a",   "!",   "!!int ", "|\n",  ">-\n",     "%",    "@",
    "---\n", "...\n", "~",  "0",  "-1",  ".nan", "1e9", "\\x",    "\r\n", "\xC3\xA9", "\xFF", "<<: *a\n"};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string_view original) {
    std::string text(original);
    const std::size_t changes = 1 + below(6);
    for (std::size_t change = 0; change < changes; ++change) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(12));
    switch (below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kFragments[below(kFragments.size())]);
        break;
      case 2:
        text.replace(at, length, kFragments[below(kFragments.size())]);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, below(80)));
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        if (below(10) == 0) text.resize(at);
    }
  }

  std::mt19937_64 random_;
};

void expect_usable(const Config& config, const std::string& yaml) {
  EXPECT_NE(config.steps.has_value(), config.epochs.has_value()) << yaml;
  EXPECT_NE(config.batch.sequences != 0, config.batch.tokens != 0) << yaml;
  EXPECT_GE(config.micro_batch.tokens, config.micro_batch.pad_segments_to) << yaml;
  EXPECT_GE(config.micro_batch.pad_segments_to, 1U) << yaml;
  const std::uint32_t slices = config.micro_batch.context_parallel;
  EXPECT_TRUE(slices == 1 || config.micro_batch.pad_segments_to % (2 * slices) == 0) << yaml;
  EXPECT_GE(config.micro_batch.pad_token, 0) << yaml;
  EXPECT_GE(config.data_parallel, 1U) << yaml;
  EXPECT_FALSE(config.sources.empty()) << yaml;
  double sum = 0.0;
  for (const Source& source : config.sources) {
    EXPECT_FALSE(source.name.empty()) << yaml;
    EXPECT_FALSE(source.paths.empty()) << yaml;
    EXPECT_TRUE(std::isfinite(source.weight) && source.weight >= 0.0) << yaml;
    sum += source.weight;
  }
  EXPECT_NE(config.natural_weights, sum > 0.0) << yaml;
}

void expect_placed(const std::vector<Problem>& problems, const std::string& yaml) {
  const auto lines = 1 + std::count(yaml.begin(), yaml.end(), '\n') + std::count(yaml.begin(), yaml.end(), '\r');
  for (const Problem& problem : problems) {
    EXPECT_TRUE(1 <= problem.mark.line && problem.mark.line <= lines && 1 <= problem.mark.column)
        << problem.message << "\n"
        << yaml;
    EXPECT_EQ(problem.message.find('\n'), std::string::npos) << problem.message;
  }
}

TEST(Fuzz, MutatedConfigurationsAreReadOrRefusedWithAPlace) {
  Mutator mutate(20240601);
  std::size_t accepted = 0;
  for (int round = 0; round < 20'000 && !testing::Test::HasFailure(); ++round) {
    const std::string yaml = mutate(kFull);

    const Parsed parsed = parse(yaml, "demo.yaml");

    expect_placed(parsed.problems, yaml);
    if (parsed.problems.empty()) {
      ++accepted;
      expect_usable(parsed.config, yaml);
    }
  }
  EXPECT_GT(accepted, 200U);  // else the mutations are too wild to reach the checks behind the syntax
}

TEST(Fuzz, EveryPrefixIsReadOrRefused) {
  for (std::size_t size = 0; size < kFull.size(); ++size) {
    const std::string yaml(kFull.substr(0, size));

    expect_placed(parse(yaml, "demo.yaml").problems, yaml);
  }
}

TEST(Fuzz, RandomBytesAreRefused) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2'000; ++round) {
    std::string yaml(random() % 64, ' ');
    for (char& c : yaml) c = static_cast<char>(random() % 256);

    const Parsed parsed = parse(yaml, "demo.yaml");

    EXPECT_FALSE(parsed.problems.empty());
    expect_placed(parsed.problems, yaml);
  }
}

}  // namespace
}  // namespace stowage::config::test
