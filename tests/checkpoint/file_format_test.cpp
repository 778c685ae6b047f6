// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/file_format.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "checkpoint/samples.hpp"
#include "checkpoint/seal.hpp"
#include "support/errors.hpp"

namespace stowage::checkpoint {
namespace {

const std::string kPath = "ckpt.h5";

Checkpoint any_checkpoint() {
  Checkpoint checkpoint =
      test::sample_checkpoint(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange<std::size_t>(0, 30));
  for (auto& setting : checkpoint.fingerprint.settings) setting.value = *rc::gen::string<std::string>();
  for (SourceCount& count : checkpoint.state.counts) {
    count.tokens = *rc::gen::arbitrary<std::uint64_t>();
    count.tokens_cut = *rc::gen::arbitrary<std::uint64_t>();
  }
  test::advance(checkpoint, *rc::gen::arbitrary<std::uint64_t>());
  return checkpoint;
}

Difference between(const Checkpoint& before, const Checkpoint& after) {
  return difference_between(before.state, before.inputs, after.state, after.inputs);
}

TEST(CheckpointFile, ABaseComesBackAsItWas) {
  EXPECT_TRUE(rc::check([] {
    const Checkpoint checkpoint = any_checkpoint();
    const Header header{*rc::gen::arbitrary<std::uint64_t>(), {1, *rc::gen::arbitrary<std::uint64_t>()}, 0, {}};

    const Decoded decoded = decode(encode(header, checkpoint, kPath), kPath);

    RC_ASSERT(decoded.kind() == Kind::base);
    RC_ASSERT(decoded.header.generation == header.generation);
    RC_ASSERT(decoded.header.content == header.content);
    RC_ASSERT(std::get<Checkpoint>(decoded.body) == checkpoint);
  }));
}

TEST(CheckpointFile, ADifferenceLeadsToTheNextCheckpoint) {
  EXPECT_TRUE(rc::check([] {
    const Checkpoint before = any_checkpoint();
    Checkpoint after = before;
    test::advance(after, *rc::gen::arbitrary<std::uint64_t>());
    // Counts that fall are not expected of a run, but must not be stored as something else.
    if (!after.state.counts.empty()) after.state.counts[0].tokens = *rc::gen::arbitrary<std::uint64_t>();
    const Header header{7, {1, 2}, 6, {3, 4}};

    const Decoded decoded = decode(encode(header, between(before, after), kPath), kPath);
    Checkpoint reached = before;
    apply(std::get<Difference>(decoded.body), reached, kPath);

    RC_ASSERT(decoded.header.parent_generation == 6U);
    RC_ASSERT(decoded.header.parent_content == (Digest{3, 4}));
    RC_ASSERT(decoded.step() == after.state.step);
    RC_ASSERT(reached == after);
  }));
}

TEST(CheckpointFile, TheSameCheckpointGivesTheSameBytes) {
  const Checkpoint checkpoint = test::sample_checkpoint(1, 20);

  EXPECT_EQ(encode({1, {}, 0, {}}, checkpoint, "a"), encode({1, {}, 0, {}}, checkpoint, "b"));
}

TEST(CheckpointFile, ADifferenceOfFewSourcesIsSmallBesideTheWholeState) {
  const Checkpoint before = test::sample_checkpoint(1, 2000);
  Checkpoint after = before;
  test::advance(after, 2);

  const std::size_t whole = encode({}, after, kPath).size();
  const std::size_t part = encode({}, between(before, after), kPath).size();

  EXPECT_LT(part, 4096U);
  EXPECT_GT(whole, 20 * part);
}

TEST(CheckpointFile, PartsOfDifferentLengthAreRefusedWhenWritten) {
  Checkpoint checkpoint = test::sample_checkpoint(1, 3);
  checkpoint.state.counts.pop_back();

  EXPECT_ERROR(encode({}, checkpoint, kPath), STOWAGE_INVALID_ARGUMENT,
               "ckpt.h5: expected draws, stages and counts of 3 sources, found 3, 3 and 2");
}

TEST(CheckpointFile, ADifferenceToAnotherNumberOfSourcesIsRefused) {
  Checkpoint before = test::sample_checkpoint(1, 40);
  Checkpoint after = before;
  after.state.counts[39].tokens = 1;
  Checkpoint other = test::sample_checkpoint(1, 39);

  EXPECT_ERROR(apply(between(before, after), other, kPath), STOWAGE_DATA_ERROR,
               "ckpt.h5: a change of source 39: expected one of the 39 sources of the checkpoint before");
}

// "status: message", or "none".
std::string refusal(ByteView file) {
  try {
    decode(file, kPath);
  } catch (const Error& error) {
    return fmt::format("{}: {}", status_name(error.status()), error.what());
  }
  return "none";
}

class Damage : public testing::TestWithParam<Kind> {
 protected:
  Damage() {
    const Checkpoint before = test::sample_checkpoint(3, 4);
    Checkpoint after = before;
    test::advance(after, 5);
    file_ = GetParam() == Kind::base ? encode({2, {1, 2}, 0, {}}, after, kPath)
                                     : encode({2, {1, 2}, 1, {3, 4}}, between(before, after), kPath);
  }
  Bytes file_;
};

TEST_P(Damage, OfAnySingleByteIsRefused) {
  ASSERT_EQ(refusal(file_), "none");
  for (std::size_t at = 0; at < file_.size(); ++at) {
    for (const unsigned change : {0xffU, 1U << at % 8}) {
      Bytes damaged = file_;
      damaged[at] ^= static_cast<std::byte>(change);

      EXPECT_THAT(refusal(damaged), testing::StartsWith("data error: ckpt.h5: ")) << "byte " << at;
    }
  }
}

TEST_P(Damage, ByCuttingAnywhereIsRefused) {
  for (std::size_t length = 0; length < file_.size(); ++length) {
    EXPECT_THAT(refusal(ByteView(file_).first(length)), testing::StartsWith("data error: ckpt.h5: "))
        << length << " bytes";
  }
}

TEST_P(Damage, ByAppendingIsRefused) {
  for (const std::size_t more : {1U, 8U, 40U, 4096U}) {
    Bytes longer = file_;
    longer.insert(longer.end(), file_.end() - static_cast<std::ptrdiff_t>(std::min(more, file_.size())), file_.end());

    EXPECT_THAT(refusal(longer), testing::StartsWith("data error: ckpt.h5: ")) << more << " bytes more";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Damage, testing::Values(Kind::base, Kind::difference),
                         [](const auto& info) { return name_of(info.param); });

TEST(CheckpointFile, DamageIsNamedWithItsPlace) {
  Bytes file = encode({}, test::sample_checkpoint(1, 400), kPath);
  file[5000] ^= std::byte{1};

  EXPECT_ERROR(decode(file, kPath), STOWAGE_DATA_ERROR, "ckpt.h5: bytes 4096 to 8191: expected checksum ");
}

TEST(CheckpointFile, AWellSealedFileThatIsNoCheckpointIsRefused) {
  EXPECT_ERROR(decode(sealed(Bytes(100)), kPath), STOWAGE_DATA_ERROR, "ckpt.h5: cannot open");
  EXPECT_ERROR(decode(sealed({}), kPath), STOWAGE_DATA_ERROR, "ckpt.h5: cannot open");
}

}  // namespace
}  // namespace stowage::checkpoint
