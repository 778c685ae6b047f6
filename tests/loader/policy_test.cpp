// SPDX-License-Identifier: Apache-2.0
#include "loader/policy.hpp"

#include <rapidcheck.h>

#include <numeric>

#include "support/errors.hpp"

namespace stowage::loader {
namespace {

config::Source source_with(config::OverLong over_long, config::ZeroLength zero = config::ZeroLength::keep) {
  config::Source source;
  source.name = "books";
  source.over_long = over_long;
  source.zero_length = zero;
  return source;
}

constexpr config::MicroBatch kTen{.tokens = 10, .pad_segments_to = 4};  // holds segments of at most 8 tokens

std::vector<std::uint32_t> piece_lengths(const std::vector<Piece>& pieces) {
  std::vector<std::uint32_t> lengths;
  for (const Piece& piece : pieces) lengths.push_back(piece.tokens);
  return lengths;
}

TEST(Policy, TakesPaddingIntoTheLongestSegment) {
  EXPECT_EQ(longest_segment(kTen), 8U);
}

TEST(Policy, CutsAsTheSourceSays) {
  const struct {
    config::OverLong over_long;
    std::uint64_t tokens;
    Fate fate;
    std::vector<std::uint32_t> pieces;
  } cases[] = {
      {config::OverLong::error, 8, Fate::whole, {8}},        {config::OverLong::drop, 9, Fate::dropped_over_long, {}},
      {config::OverLong::truncate, 9, Fate::truncated, {8}}, {config::OverLong::split, 9, Fate::split, {8, 1}},
      {config::OverLong::split, 16, Fate::split, {8, 8}},    {config::OverLong::split, 0, Fate::whole, {0}},
  };
  for (const auto& one : cases) {
    std::vector<Piece> pieces;

    const Fate fate = cut(source_with(one.over_long), kTen, one.tokens, pieces);

    EXPECT_EQ(fate, one.fate) << one.tokens;
    EXPECT_EQ(piece_lengths(pieces), one.pieces);
  }
}

TEST(Policy, DropsZeroLengthWhereAsked) {
  std::vector<Piece> pieces;

  const Fate fate = cut(source_with(config::OverLong::error, config::ZeroLength::drop), kTen, 0, pieces);

  EXPECT_EQ(fate, Fate::dropped_zero_length);
  EXPECT_TRUE(pieces.empty());
}

TEST(Policy, SplitPiecesCoverTheSequenceInOrder) {
  const bool holds = rc::check([] {
    const auto cap = *rc::gen::inRange<std::uint32_t>(1, 100);
    const auto multiple = *rc::gen::inRange<std::uint32_t>(1, cap + 1);
    const auto tokens = *rc::gen::inRange<std::uint64_t>(1, 5000);
    std::vector<Piece> pieces;

    cut(source_with(config::OverLong::split), {.tokens = cap, .pad_segments_to = multiple}, tokens, pieces);

    std::uint64_t at = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      RC_ASSERT(pieces[p].begin == at);
      RC_ASSERT(pieces[p].number == p);
      RC_ASSERT(pieces[p].tokens >= 1U);
      RC_ASSERT((pieces[p].tokens + multiple - 1) / multiple * multiple <= cap);
      at += pieces[p].tokens;
    }
    RC_ASSERT(at == tokens);
  });

  EXPECT_TRUE(holds);
}

TEST(Policy, RefusesOverLongSequencesWherePolicyIsError) {
  SourceInfo info;
  info.sequences = 5;
  info.over_long = 2;
  info.longest = 99;

  EXPECT_ERROR(refuse_over_long(source_with(config::OverLong::error), info, kTen), STOWAGE_DATA_ERROR,
               "2 of 5 sequences are longer than a micro-batch holds (8 tokens; the longest has 99)");
  EXPECT_NO_THROW(refuse_over_long(source_with(config::OverLong::drop), info, kTen));
}

TEST(Policy, FindsRunsThatCannotFeedEveryReplica) {
  config::Config config;
  config.data_parallel = 4;
  config.epochs = 1;
  config.natural_weights = true;
  config.sources = {source_with(config::OverLong::drop)};
  SourceInfo info;
  info.sequences = 5;
  info.over_long = 2;
  const auto problems_of = [&] {
    std::vector<Catalogue::Problem> problems;
    check_enough(config, {info}, problems);
    return problems;
  };

  EXPECT_THAT(problems_of().at(0).text.message,
              testing::HasSubstr("at least as many sequences as replicas (4), found 3"));
  info.over_long = 5;
  EXPECT_THAT(problems_of().at(0).text.message, testing::HasSubstr("no sequence is left to deliver"));
  info.over_long = 1;
  EXPECT_TRUE(problems_of().empty());
}

}  // namespace
}  // namespace stowage::loader
