// SPDX-License-Identifier: Apache-2.0
// Lengths for tests of the planner, made up and real, and what every plan must satisfy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/narrow.hpp"
#include "plan/plan.hpp"

namespace stowage::plan::test {

using Lengths = std::vector<std::uint32_t>;

inline Lengths random_lengths(std::size_t count, std::uint32_t below, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Lengths lengths(count);
  for (std::uint32_t& length : lengths) length = static_cast<std::uint32_t>(random() % below);
  return lengths;
}

inline Request request_for(const Lengths& lengths, std::uint32_t replicas, std::uint32_t cap) {
  Request request;
  request.tokens = lengths;
  request.replicas = replicas;
  request.cap = cap;
  return request;
}

// A table of real lengths, the sums of the named columns by row; empty when the folder of test inputs is not there.
inline Lengths real_lengths(const std::string& file, const std::vector<std::string>& columns) {
  std::ifstream in(std::filesystem::path(STOWAGE_DATA_DIR) / file);
  Lengths lengths;
  std::vector<bool> wanted;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::uint32_t sum = 0;
    std::size_t k = 0;
    const bool header = wanted.empty();
    for (std::string field; std::getline(fields, field, ','); ++k) {
      if (header) {
        wanted.push_back(std::find(columns.begin(), columns.end(), field) != columns.end());
      } else if (wanted[k]) {
        sum += static_cast<std::uint32_t>(std::stoul(field));
      }
    }
    if (!header) lengths.push_back(sum);
  }
  return lengths;
}

struct RealTable {
  const char* name;
  const char* file;
  std::vector<std::string> columns;
};

inline const std::vector<RealTable>& real_tables() {
  static const std::vector<RealTable> tables = {
      {"azure-code", "lengths/AzureLLMInferenceTrace_code.csv", {"ContextTokens", "GeneratedTokens"}},
      {"azure-conv", "lengths/AzureLLMInferenceTrace_conv.csv", {"ContextTokens", "GeneratedTokens"}},
      {"mooncake", "lengths/mooncake_synthetic_trace.csv", {"input_length", "output_length"}},
      {"arxiv", "lengths/arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv", {"num_total_tokens"}},
      {"bwb", "lengths/bwb_stats_llama2_tokenizer_filtered_v2.csv", {"num_total_tokens"}},
      {"sharegpt", "lengths/sharegpt_8k_filtered_stats_llama2_tokenizer.csv", {"num_total_tokens"}},
      {"text", "lengths/text_token_lengths.csv", {"gpt2_tokens"}},
  };
  return tables;
}

#define SKIP_WITHOUT(lengths)                                                                                          \
  if ((lengths).empty()) {                                                                                             \
    GTEST_SKIP() << "real length tables are not in " << STOWAGE_DATA_DIR << "; set STOWAGE_DATA_DIR to run this test"; \
  }

// `count` rows in an order of `seed`; longer than the cap become several.
inline Lengths sampled(const Lengths& table, std::size_t count, std::uint64_t seed, std::uint32_t cap = 0) {
  std::mt19937_64 random(seed);
  Lengths lengths;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint32_t left = table[random() % table.size()];
    for (; cap != 0 && left > cap; left -= cap) lengths.push_back(cap);
    lengths.push_back(left);
  }
  return lengths;
}

inline std::uint64_t padded_tokens(const Request& request, const Plan& plan, std::uint32_t micro_batch) {
  std::uint64_t sum = 0;
  for (const std::uint32_t i : plan.sequences(micro_batch)) {
    sum += round_up<std::uint64_t>(request.tokens[i], request.pad_segments_to);
  }
  return sum;
}

// Each sequence once, in a well-formed plan, nothing over a cap, equal counts where asked, no needless empty one.
inline void expect_sound(const Request& request, const Plan& plan) {
  Lengths held = plan.order;
  std::sort(held.begin(), held.end());
  Lengths all(request.tokens.size());
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(held, all);
  ASSERT_EQ(plan.replicas(), request.replicas);
  ASSERT_EQ(plan.replica_begin.back(), plan.micro_batches());
  ASSERT_EQ(plan.micro_batch_begin.back(), plan.order.size());
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    const std::uint32_t count = plan.replica_begin[r + 1] - plan.replica_begin[r];
    std::uint32_t sequences = 0;
    std::uint32_t empty = 0;
    const ReplicaShape shape = request.shapes.empty() ? ReplicaShape{} : request.shapes[r];
    for (std::uint32_t m = plan.replica_begin[r]; m < plan.replica_begin[r + 1]; ++m) {
      EXPECT_LE(padded_tokens(request, plan, m), shape.cap != 0 ? shape.cap : request.cap);
      EXPECT_TRUE(std::is_sorted(plan.sequences(m).begin(), plan.sequences(m).end()));
      sequences += static_cast<std::uint32_t>(plan.sequences(m).size());
      empty += plan.sequences(m).empty() ? 1 : 0;
      for (const std::uint32_t i : plan.sequences(m)) {
        EXPECT_LE(request.tokens[i], shape.longest != 0 ? shape.longest : request.tokens[i]);
      }
    }
    EXPECT_EQ(empty, count > sequences ? count - sequences : 0);
    EXPECT_EQ(count, request.equal_counts ? plan.replica_begin[1] : count);
    EXPECT_TRUE(request.allow_empty_replicas || sequences > 0);
  }
}

// The division as lengths, without order: what a permuted request must give too.
inline std::vector<std::vector<Lengths>> division(const Request& request, const Plan& plan) {
  std::vector<std::vector<Lengths>> replicas;
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    std::vector<Lengths> micro_batches;
    for (std::uint32_t m = plan.replica_begin[r]; m < plan.replica_begin[r + 1]; ++m) {
      Lengths lengths;
      for (const std::uint32_t i : plan.sequences(m)) lengths.push_back(request.tokens[i]);
      std::sort(lengths.begin(), lengths.end());
      micro_batches.push_back(lengths);
    }
    std::sort(micro_batches.begin(), micro_batches.end());
    replicas.push_back(micro_batches);
  }
  return replicas;
}

}  // namespace stowage::plan::test
