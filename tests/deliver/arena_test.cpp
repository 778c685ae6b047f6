// SPDX-License-Identifier: Apache-2.0
#include "deliver/arena.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace stowage::deliver {
namespace {

TEST(Arena, GivesAlignedPlacesFromTheBottom) {
  Arena arena(1024);

  EXPECT_EQ(arena.take(1), 0U);
  EXPECT_EQ(arena.take(65), 64U);
  EXPECT_EQ(arena.take(64), 192U);
}

TEST(Arena, WrapsToTheBeginningWhenTheEndIsTooShort) {
  Arena arena(1024);
  const auto first = arena.take(512);
  const auto second = arena.take(384);
  arena.give_back(*first);

  EXPECT_EQ(second, 512U);
  EXPECT_EQ(arena.take(256), 0U);
}

TEST(Arena, GivesNothingWhenItIsFullOrTheBlockIsLarger) {
  Arena arena(1024);

  EXPECT_EQ(arena.take(1025), std::nullopt);
  EXPECT_EQ(arena.take(~std::uint64_t{0}), std::nullopt);
  const auto all = arena.take(1024);
  EXPECT_EQ(all, 0U);
  EXPECT_EQ(arena.take(1), std::nullopt);
  arena.give_back(*all);
  EXPECT_EQ(arena.take(1024), 0U);
}

TEST(Arena, OfUnevenSizeGivesNoPlaceBeyondItsEnd) {
  Arena arena(100);

  EXPECT_EQ(arena.take(64), 0U);
  EXPECT_EQ(arena.take(36), std::nullopt) << "its rounded length would end at 128";
}

struct Extent {
  std::uint64_t begin, end;
};

// The plain reference: every multiple of the alignment is tried, against every extent in use.
std::optional<std::uint64_t> lowest_free(const std::deque<Extent>& used, std::uint64_t capacity, std::uint64_t bytes) {
  const std::uint64_t length = (std::max<std::uint64_t>(bytes, 1) + 63) / 64 * 64;
  for (std::uint64_t at = 0; at + length <= capacity; at += 64) {
    if (std::ranges::none_of(used, [&](const Extent& e) { return at < e.end && e.begin < at + length; })) return at;
  }
  return std::nullopt;
}

TEST(Arena, AgreesWithAPlainReferenceWhateverIsTakenAndGivenBack) {
  rc::check([] {
    const auto capacity = *rc::gen::inRange<std::uint64_t>(0, 2'000);
    Arena arena(capacity);
    std::deque<Extent> used;
    for (const std::uint64_t bytes :
         *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 700))) {
      if (bytes % 3 == 0 && !used.empty()) {
        const std::size_t which = bytes % 2 == 0 ? 0 : bytes % used.size();
        arena.give_back(used[which].begin);
        used.erase(used.begin() + static_cast<std::ptrdiff_t>(which));
      }
      const auto found = arena.take(bytes);
      RC_ASSERT(found == lowest_free(used, capacity, bytes));
      if (found) used.push_back({*found, *found + (std::max<std::uint64_t>(bytes, 1) + 63) / 64 * 64});
      RC_ASSERT(arena.taken() == used.size());
    }
  });
}

}  // namespace
}  // namespace stowage::deliver
