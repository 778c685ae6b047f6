// SPDX-License-Identifier: Apache-2.0
#include "base/frame.hpp"

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "support/errors.hpp"

namespace stowage::frame {
namespace {

struct Note {
  std::string text;
  std::vector<std::uint64_t> numbers;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& text& numbers;
  }
};

constexpr std::uint32_t kVersion = 3;
const Note kNote{"hello", {1, 2, 1ULL << 60}};

TEST(Frame, BringsObjectsBack) {
  const auto note = decode<Note>(encode(kNote, kVersion), kVersion, "a note");

  EXPECT_EQ(note.text, kNote.text);
  EXPECT_EQ(note.numbers, kNote.numbers);
}

TEST(Frame, RefusesEveryFlippedByte) {
  const Bytes good = encode(kNote, kVersion);

  for (std::size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{0x10};
    EXPECT_ERROR(decode<Note>(bad, kVersion, "a note"), STOWAGE_DATA_ERROR, "a note: expected");
  }
}

TEST(Frame, RefusesEveryTruncation) {
  const Bytes good = encode(kNote, kVersion);

  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_ERROR(decode<Note>(ByteView(good).first(size), kVersion, "a note"), STOWAGE_DATA_ERROR, "a note: expected");
  }
}

TEST(Frame, RefusesAnotherVersionWithAdvice) {
  EXPECT_ERROR(decode<Note>(encode(kNote, kVersion + 1), kVersion, "a note"), STOWAGE_DATA_ERROR,
               "expected version 3, got 4; both sides must run the same stowage");
}

}  // namespace
}  // namespace stowage::frame
