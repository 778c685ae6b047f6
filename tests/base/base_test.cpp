// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <new>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "support/errors.hpp"

namespace stowage {
namespace {

TEST(Narrow, KeepsWhatFitsAndNamesWhatDoesNot) {
  EXPECT_EQ(narrow<std::uint8_t>(255), 255);
  EXPECT_ERROR(narrow<std::uint8_t>(256, "token type"), STOWAGE_INVALID_ARGUMENT,
               "token type must fit in 8 unsigned bits, got 256");
  EXPECT_ERROR(narrow<std::uint64_t>(-1), STOWAGE_INVALID_ARGUMENT, "got -1");
}

TEST(Narrow, ArithmeticDoesNotWrap) {
  constexpr std::uint64_t big = std::uint64_t{1} << 63;

  EXPECT_ERROR(checked_add(big, big), STOWAGE_INVALID_ARGUMENT, "overflows");
  EXPECT_ERROR(checked_mul(big, std::uint64_t{2}), STOWAGE_INVALID_ARGUMENT, "overflows");
  EXPECT_EQ(round_up(9U, 4U), 12U);
  EXPECT_EQ(div_ceil(8U, 4U), 2U);
}

TEST(Hash, DigestsTellArraysApartByTheirLengths) {
  const auto of = [](std::vector<int> a, std::vector<int> b) {
    return Hasher().add_array(std::span<const int>(a)).add_array(std::span<const int>(b)).digest();
  };

  EXPECT_EQ(of({1}, {2, 3}), of({1}, {2, 3}));
  EXPECT_NE(of({1}, {2, 3}), of({1, 2}, {3}));
  EXPECT_EQ(Digest{}.hex(), std::string(32, '0'));
}

TEST(Text, NumbersAndBytesReadWell) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
}

TEST(Text, FindsTheNearestWordOnlyIfItIsNear) {
  constexpr std::array<std::string_view, 3> words{"sequences", "tokens", "seed"};

  EXPECT_EQ(nearest("sequenecs", words), "sequences");
  EXPECT_EQ(nearest("sede", words), "seed");
  EXPECT_EQ(nearest("elephant", words), "");
}

TEST(ParallelFor, RethrowsTheFailureOfTheLowestIndex) {
  EXPECT_ERROR(parallel_for(1000,
                            [](std::uint64_t i) {
                              if (i % 7 == 3) fail(STOWAGE_DATA_ERROR, "item {}", i);
                            }),
               STOWAGE_DATA_ERROR, "item 3");
}

TEST(Error, ExceptionsOfOthersGetAStatus) {
  const auto status_of = [](auto&& thrown) {
    try {
      throw thrown;
    } catch (...) {
      return current_exception_status().first;
    }
  };

  EXPECT_EQ(status_of(Error(STOWAGE_IO_ERROR, "x")), STOWAGE_IO_ERROR);
  EXPECT_EQ(status_of(std::bad_alloc()), STOWAGE_OUT_OF_MEMORY);
  EXPECT_EQ(status_of(std::runtime_error("x")), STOWAGE_INTERNAL_ERROR);
  EXPECT_EQ(status_of(5), STOWAGE_INTERNAL_ERROR);
}

TEST(Assert, ThrowsInsteadOfAborting) {
  EXPECT_ERROR(STOWAGE_ASSERT(kAssertLight, 1 + 1 == 3, "sum of {}", 1), STOWAGE_INTERNAL_ERROR, "sum of 1");
}

}  // namespace
}  // namespace stowage
