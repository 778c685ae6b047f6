// SPDX-License-Identifier: Apache-2.0
#include "mixture/permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace stowage::mixture {
namespace {

std::vector<std::uint64_t> images(const Permutation& permutation) {
  std::vector<std::uint64_t> result(permutation.size());
  for (std::uint64_t i = 0; i < result.size(); ++i) result[i] = permutation(i);
  return result;
}

// Pearson's statistic of observed counts against a uniform distribution, in standard deviations of its chi-square
// distribution from the mean.
double chi_square_sigmas(const std::vector<std::uint64_t>& counts) {
  const double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0.0;
  for (const std::uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    statistic += off * off / expected;
  }
  const double freedom = static_cast<double>(counts.size() - 1);
  return (statistic - freedom) / std::sqrt(2.0 * freedom);
}

TEST(Permutation, IsABijectionForEverySmallSize) {
  for (std::uint64_t n = 0; n <= 1000; ++n) {
    const Permutation permutation(epoch_key(1, "books", n), n);

    std::vector<bool> seen(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t image = permutation(i);
      ASSERT_LT(image, n) << "n " << n << " position " << i;
      ASSERT_FALSE(seen[image]) << "n " << n << " position " << i << " gives " << image << " again";
      seen[image] = true;
    }
  }
}

TEST(Permutation, IsABijectionJustAboveAPowerOfFour) {
  const std::uint64_t n = (std::uint64_t{1} << 20) + 1;  // the worst case of cycle walking

  std::vector<std::uint64_t> sorted = images(Permutation(epoch_key(3, "web", 0), n));
  std::sort(sorted.begin(), sorted.end());

  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i);
}

TEST(Permutation, StaysInRangeWithoutRepeatsForHugeOddSizes) {
  const std::vector<std::uint64_t> sizes{(std::uint64_t{1} << 33) - 9, (std::uint64_t{1} << 40) + 15,
                                         1'000'000'000'000'003, std::numeric_limits<std::uint64_t>::max()};
  for (const std::uint64_t n : sizes) {
    const Permutation permutation(epoch_key(7, "web", 2), n);

    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      for (const std::uint64_t position : {i, n - 1 - i, n / 2 + i}) {
        const std::uint64_t image = permutation(position);
        ASSERT_LT(image, n) << "n " << n;
        ASSERT_TRUE(seen.insert(image).second)
            << "n " << n << " position " << position << " gives " << image << " again";
      }
    }
  }
}

TEST(Permutation, DiffersByEpochSeedAndName) {
  const std::uint64_t n = 500;
  const std::vector<std::uint64_t> base = images(Permutation(epoch_key(1, "books", 0), n));

  const std::vector<std::uint64_t> other_epoch = images(Permutation(epoch_key(1, "books", 1), n));
  const std::vector<std::uint64_t> other_seed = images(Permutation(epoch_key(2, "books", 0), n));
  const std::vector<std::uint64_t> other_name = images(Permutation(epoch_key(1, "bookz", 0), n));

  EXPECT_NE(base, other_epoch);
  EXPECT_NE(base, other_seed);
  EXPECT_NE(base, other_name);
}

TEST(Permutation, KeysOfManySourcesAndEpochsAreDistinct) {
  std::set<std::uint64_t> keys;

  for (int source = 0; source < 300; ++source) {
    for (std::uint64_t epoch = 0; epoch < 100; ++epoch) keys.insert(epoch_key(42, "s" + std::to_string(source), epoch));
  }

  EXPECT_EQ(keys.size(), 30'000U);
}

TEST(Permutation, PutsAnElementAtEveryPositionEquallyOften) {
  for (const std::uint64_t n : {2ULL, 5ULL, 16ULL, 17ULL, 100ULL}) {
    for (const std::uint64_t position : {std::uint64_t{0}, n - 1}) {
      std::vector<std::uint64_t> counts(n);

      for (std::uint64_t epoch = 0; epoch < 400 * n; ++epoch)
        ++counts[Permutation(epoch_key(11, "x", epoch), n)(position)];

      EXPECT_LT(chi_square_sigmas(counts), 5.0) << "n " << n << " position " << position;
    }
  }
}

TEST(Permutation, GivesEveryPairOfNeighboursEquallyOften) {
  const std::uint64_t n = 12;
  std::vector<std::uint64_t> counts(n * n);
  for (std::uint64_t epoch = 0; epoch < 50'000; ++epoch) {
    const Permutation permutation(epoch_key(5, "pairs", epoch), n);
    ++counts[permutation(3) * n + permutation(4)];
  }

  std::vector<std::uint64_t> possible;
  for (std::uint64_t pair = 0; pair < n * n; ++pair) {
    if (pair / n != pair % n) possible.push_back(counts[pair]);
  }

  EXPECT_LT(chi_square_sigmas(possible), 5.0);
}

TEST(Permutation, GivesEveryOrderOfThreeEquallyOften) {
  std::map<std::vector<std::uint64_t>, std::uint64_t> orders;
  for (std::uint64_t epoch = 0; epoch < 12'000; ++epoch) ++orders[images(Permutation(epoch_key(9, "x", epoch), 3))];

  std::vector<std::uint64_t> counts;
  for (const auto& [order, count] : orders) counts.push_back(count);

  EXPECT_EQ(counts.size(), 6U);
  EXPECT_LT(chi_square_sigmas(counts), 5.0);
}

// A change of these numbers changes the order of every training run: it needs a new version of the stream.
TEST(Permutation, StreamIsPinned) {
  EXPECT_EQ(epoch_key(0, "", 0), 5019220388102165936U);
  EXPECT_EQ(epoch_key(1234, "books", 3), 15672812162679561951U);
  EXPECT_EQ(images(Permutation(epoch_key(1234, "books", 3), 10)),
            (std::vector<std::uint64_t>{3, 9, 2, 7, 0, 6, 4, 5, 8, 1}));
  EXPECT_EQ(Permutation(epoch_key(1234, "books", 3), 1'000'003)(17), 692'900U);
}

}  // namespace
}  // namespace stowage::mixture
