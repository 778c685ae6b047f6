// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>

#include "exchange/team.hpp"
#include "support/world.hpp"

namespace stowage::exchange {
namespace {

using test::World;

constexpr Status kStatuses[] = {STOWAGE_DATA_ERROR, STOWAGE_IO_ERROR, STOWAGE_CONFIG_ERROR};

Vote failing_vote(int rank, std::size_t message_bytes = 0) {
  Vote vote;
  vote.status = kStatuses[rank % 3];
  vote.message = "rank " + std::to_string(rank) + " says no";
  vote.message.resize(std::max(vote.message.size(), message_bytes), '.');
  vote.same = {static_cast<std::uint64_t>(rank), 7};  // a rank that failed has no digest to compare
  return vote;
}

Vote vote_of(const Digest& same, bool finished) {
  Vote vote;
  vote.same = same;
  vote.finished = finished;
  return vote;
}

// Sets of failing ranks as bit masks: each single one, and every subset of up to three ranks.
std::vector<unsigned> failing_sets(int ranks) {
  std::vector<unsigned> sets;
  for (unsigned set = 1; set < (1U << ranks); ++set) {
    if (ranks <= 3 || std::has_single_bit(set)) sets.push_back(set);
  }
  return sets;
}

template <typename Work>
SharedError error_of(Work&& work) {
  try {
    work();
  } catch (const SharedError& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {STOWAGE_OK, ""};
}

TEST(Agree, EveryRankGetsTheErrorOfTheLowestFailingRank) {
  const World world;
  const auto team = make_mpi_team(world.get());
  for (const unsigned set : failing_sets(world.size())) {
    const bool fails = (set >> world.rank() & 1U) != 0;

    const SharedError error = error_of([&] { team->agree(fails ? failing_vote(world.rank()) : Vote{}); });

    const Vote lowest = failing_vote(std::countr_zero(set));
    EXPECT_EQ(error.status(), lowest.status) << "failing set " << set;
    EXPECT_EQ(error.what(), lowest.message) << "failing set " << set;
  }
  EXPECT_NO_THROW(team->agree({})) << "the team must be of use after an error";
}

TEST(Agree, LongMessagesArriveWholeAndVeryLongOnesCut) {
  const World world;
  const auto team = make_mpi_team(world.get(), 1000);
  const int last = world.size() - 1;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{64} << 10, std::size_t{1} << 20}) {
    const Vote long_one = failing_vote(last, bytes);

    const SharedError error = error_of([&] { team->agree(world.rank() == last ? long_one : Vote{}); });

    EXPECT_EQ(error.what(), long_one.message.substr(0, std::size_t{64} << 10));
  }
}

TEST(Agree, EqualDigestsPassAndFinishedMeansAll) {
  const World world;
  const auto team = make_mpi_team(world.get());
  const Digest digest{~std::uint64_t{0}, 1};

  const bool all = team->agree(vote_of(digest, true)).all_finished;
  const bool all_but_one = team->agree(vote_of(digest, world.rank() != world.size() - 1)).all_finished;

  EXPECT_TRUE(all);
  EXPECT_FALSE(all_but_one);
}

TEST(Agree, ProgressIsThatOfTheSlowestRank) {
  const World world;
  const auto team = make_mpi_team(world.get());
  for (int slowest = 0; slowest < world.size(); ++slowest) {
    Vote vote;
    vote.progress = world.rank() == slowest ? 3 : 10 + static_cast<std::uint64_t>(world.rank());

    const Agreement agreement = team->agree(vote);

    EXPECT_EQ(agreement.least_progress, 3U);
  }
}

TEST(Agree, ADigestThatDiffersInAnyHalfOnAnyRankIsFoundOnEveryRank) {
  const World world;
  const auto team = make_mpi_team(world.get());
  for (int odd = 1; odd < world.size(); ++odd) {
    for (const Digest& other : {Digest{5, 8}, Digest{6, 7}, Digest{0, 0}}) {
      const Digest mine = world.rank() == odd ? other : Digest{5, 7};

      const SharedError error = error_of([&] { team->agree(vote_of(mine, false)); });

      EXPECT_EQ(error.status(), STOWAGE_INTERNAL_ERROR);
      const std::string expected =
          fmt::format("rank 0 has digest {} and rank {} has {}", Digest{5, 7}.hex(), odd, other.hex());
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

TEST(Agree, AnExceptionInSharedWorkBecomesTheSameErrorOnAllRanks) {
  const World world;
  const auto team = make_mpi_team(world.get());

  const SharedError error = error_of([&] {
    together(*team, [&] {
      if (world.rank() == world.size() - 1) fail(STOWAGE_IO_ERROR, "no such file");
    });
  });

  EXPECT_EQ(error.status(), STOWAGE_IO_ERROR);
  EXPECT_STREQ(error.what(), "no such file");
}

TEST(Agree, AloneAFailingVoteIsThrownAsItIs) {
  const auto team = make_solo_team();

  const SharedError error = error_of([&] { team->agree(failing_vote(1)); });

  EXPECT_EQ(error.status(), failing_vote(1).status);
  EXPECT_EQ(error.what(), failing_vote(1).message);
  EXPECT_TRUE(team->agree(vote_of({}, true)).all_finished);
}

}  // namespace
}  // namespace stowage::exchange
