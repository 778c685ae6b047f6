// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_ring.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "support/errors.hpp"

namespace stowage::deliver {
namespace {

// A writer and its readers in one process, over plain memory.
class Ring {
 public:
  Ring(std::uint32_t slots, std::uint32_t readers, std::uint64_t data_bytes, RingWriter::Back back = {})
      : shape_{slots, readers, data_bytes},
        control_(shape_.control_bytes()),
        data_(data_bytes),
        writer_(
            control_.bytes(), data_.bytes(), shape_, kToken,
            back ? back : [](std::uint64_t, std::uint64_t) { return true; }, nullptr) {
    for (std::uint32_t r = 0; r < readers; ++r) readers_.push_back(reader(kToken, r));
  }

  RingReader reader(std::uint64_t token, std::uint32_t number) {
    return {control_.bytes(), std::as_const(data_).bytes(), shape_, token, number};
  }
  RingWriter& writer() { return writer_; }
  RingReader& operator[](std::size_t r) { return readers_[r]; }

  bool holds(const AlignedBuffer& block) const {
    return block.bytes().data() >= data_.bytes().data() && block.bytes().data() < data_.bytes().data() + data_.size();
  }

  static constexpr std::uint64_t kToken = 77;

 private:
  RingShape shape_;
  AlignedBuffer control_;
  AlignedBuffer data_;
  RingWriter writer_;
  std::vector<RingReader> readers_;
};

TEST(StepRing, ShowsEveryReaderTheBytesWhereTheyWereWritten) {
  Ring ring(4, 2, 4096);
  AlignedBuffer block = ring.writer().allocate(100);
  std::memset(block.bytes().data(), 7, 100);

  EXPECT_FALSE(ring[0].has(0));
  EXPECT_TRUE(ring.writer().publish(block.bytes()));

  for (const std::size_t r : {0U, 1U}) {
    ASSERT_TRUE(ring[r].has(0));
    EXPECT_FALSE(ring[r].has(1));
    const auto seen = ring[r].block(0);
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->data(), block.bytes().data());
    EXPECT_EQ(seen->size(), 100U);
  }
}

TEST(StepRing, SaysWhichStepsComeByMessage) {
  Ring ring(4, 1, 256);
  const AlignedBuffer small = ring.writer().allocate(192);
  const AlignedBuffer full = ring.writer().allocate(128);      // the rest is too short
  const AlignedBuffer large = ring.writer().allocate(10'000);  // larger than all of it

  EXPECT_TRUE(ring.writer().publish(small.bytes()));
  EXPECT_FALSE(ring.writer().publish(full.bytes()));
  EXPECT_FALSE(ring.writer().publish(large.bytes()));

  EXPECT_TRUE(ring[0].block(0));
  EXPECT_TRUE(ring[0].has(2));
  EXPECT_FALSE(ring[0].block(1));
  EXPECT_FALSE(ring[0].block(2));
}

TEST(StepRing, UsesAPlaceAgainWhenItsBufferIsGone) {
  Ring ring(4, 1, 256);
  const std::byte* where = nullptr;
  {
    AlignedBuffer first = ring.writer().allocate(256);
    where = first.bytes().data();
    const AlignedBuffer moved = std::move(first);
    EXPECT_FALSE(ring.holds(ring.writer().allocate(64)));
  }

  EXPECT_EQ(ring.writer().allocate(256).bytes().data(), where);
}

TEST(StepRing, TakesNoMoreMemoryFromTheSystemThanBlocksNeed) {
  std::uint64_t backed = 0;
  Ring ring(4, 1, 4096, [&](std::uint64_t offset, std::uint64_t bytes) {
    EXPECT_EQ(offset, backed);
    backed += bytes;
    return true;
  });

  for (int step = 0; step < 50; ++step) {
    const AlignedBuffer one = ring.writer().allocate(500);
    const AlignedBuffer two = ring.writer().allocate(300);
  }

  EXPECT_EQ(backed, 512U + 300U);
}

TEST(StepRing, FallsBackToTheHeapWhenTheSystemHasNoMemory) {
  bool memory = false;
  Ring ring(4, 1, 4096, [&](std::uint64_t, std::uint64_t) { return memory; });

  AlignedBuffer block = ring.writer().allocate(1000);
  EXPECT_FALSE(ring.holds(block));
  std::memset(block.bytes().data(), 1, 1000);
  EXPECT_FALSE(ring.writer().publish(block.bytes()));

  memory = true;
  EXPECT_TRUE(ring.holds(ring.writer().allocate(1000)));
}

TEST(StepRing, TellsEndFailureAndRelease) {
  Ring ring(2, 2, 64);
  EXPECT_EQ(ring[1].end(), RingHead::kNoEnd);
  EXPECT_FALSE(ring[1].failed());

  ring.writer().end(12);
  ring.writer().fail();
  ring[1].release(5);

  EXPECT_EQ(ring[0].end(), 12U);
  EXPECT_TRUE(ring[0].failed());
  EXPECT_EQ(ring.writer().released(0), 0U);
  EXPECT_EQ(ring.writer().released(1), 5U);
}

TEST(StepRing, RefusesAStrangersRing) {
  Ring ring(2, 1, 64);

  EXPECT_ERROR(ring.reader(Ring::kToken + 1, 0), STOWAGE_INTERNAL_ERROR, "not the ring");
  EXPECT_ERROR(ring.reader(Ring::kToken, 1), STOWAGE_INTERNAL_ERROR, "not the ring");
}

TEST(StepRing, BlocksOutliveTheirWriter) {
  auto owner = std::make_shared<AlignedBuffer>(1024);
  const std::weak_ptr<AlignedBuffer> watched = owner;
  const RingShape shape{2, 1, 512};
  AlignedBuffer control(shape.control_bytes());
  AlignedBuffer block;
  {
    RingWriter writer(
        control.bytes(), owner->bytes().first(512), shape, 1, [](std::uint64_t, std::uint64_t) { return true; }, owner);
    owner.reset();
    block = writer.allocate(100);
  }

  EXPECT_FALSE(watched.expired());
  block = AlignedBuffer();
  EXPECT_TRUE(watched.expired());
}

// Any order of offers, reads and releases by two readers: each sees the very steps of a plain queue, in order and
// whole, those by message included.
TEST(StepRing, DeliversWhatAPlainQueueDelivers) {
  rc::check([] {
    constexpr std::uint32_t kSlots = 4;
    Ring ring(kSlots, 2, 1024);
    struct Step {
      AlignedBuffer block;
      bool by_message;
      std::byte fill;
    };
    std::deque<Step> live;  // steps first ... offered - 1
    std::uint64_t first = 0;
    std::uint64_t offered = 0;
    std::uint64_t released[2] = {0, 0};
    for (const std::uint32_t word :
         *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>())) {
      const std::size_t r = word % 2;
      if (word % 3 == 0 && offered - first < kSlots) {
        const std::size_t bytes = 1 + word / 3 % 1'200;
        Step step{ring.writer().allocate(bytes), false, static_cast<std::byte>(word / 7)};
        std::ranges::fill(step.block.bytes(), step.fill);
        step.by_message = !ring.writer().publish(step.block.bytes());
        RC_ASSERT(step.by_message != ring.holds(step.block));
        live.push_back(std::move(step));
        ++offered;
      } else if (released[r] < offered) {
        const Step& expected = live[released[r] - first];
        RC_ASSERT(ring[r].has(offered - 1));
        const auto seen = ring[r].block(released[r]);
        RC_ASSERT(seen.has_value() != expected.by_message);
        if (seen) {
          RC_ASSERT(seen->size() == expected.block.size());
          RC_ASSERT(std::ranges::all_of(*seen, [&](std::byte b) { return b == expected.fill; }));
        }
        ring[r].release(++released[r]);
        RC_ASSERT(ring.writer().released(static_cast<std::uint32_t>(r)) == released[r]);
        for (; first < std::min(released[0], released[1]); ++first) live.pop_front();
      }
      RC_ASSERT(!ring[r].has(offered));
    }
  });
}

}  // namespace
}  // namespace stowage::deliver
