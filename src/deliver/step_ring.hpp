// SPDX-License-Identifier: Apache-2.0
// The steps of one replica in shared memory: one process writes, some read, all by step number and without a lock.
//
//   control, written by both sides:   RingHead | RingCell[readers] | RingSlot[slots]
//   data, written by the writer only: step blocks, each contiguous, in any places
//
// The slot of step s is slots[s % slots]. It is valid from the moment that `published` is above s until every reader
// has released s. It tells where the block lies, or that the block comes by message, so that a reader takes every step
// in order whichever way it comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "deliver/aligned_buffer.hpp"
#include "deliver/arena.hpp"

namespace stowage::deliver {

struct RingShape {
  std::uint32_t slots = 0;  // steps that may be published and not yet released at once
  std::uint32_t readers = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t first = 0;  // step that the ring begins with

  std::size_t control_bytes() const noexcept;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& slots& readers& data_bytes& first;
  }
};

struct RingSlot {
  std::uint64_t offset = 0;  // in the data region
  std::uint64_t bytes = 0;   // 0: the step comes by message
};

struct alignas(AlignedBuffer::kAlignment) RingCell {
  std::atomic<std::uint64_t> released{0};   // steps below it are given back by this reader
  std::atomic<std::uint32_t> preempted{0};  // not 0: the run shall end
};

struct alignas(AlignedBuffer::kAlignment) RingHead {
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t token = 0;  // told to readers, who thereby know that this is their ring
  alignas(AlignedBuffer::kAlignment) std::atomic<std::uint64_t> published{0};  // steps below it
  std::atomic<std::uint64_t> end{kNoEnd};                                      // the number of steps, once known
  std::atomic<std::uint32_t> failed{0};  // not 0: the message of an error is on its way

  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free,
                "atomics must work between processes");
};

// One thread.
class RingWriter {
 public:
  // Has the system provide memory for this part of the data region; false if it has none.
  using Back = std::function<bool(std::uint64_t offset, std::uint64_t bytes)>;

  // control: shape.control_bytes(), zero; data: shape.data_bytes. The first step published is shape.first. `owner` is
  // kept until the writer and every block that it gave are gone: it owns both regions.
  RingWriter(ByteSpan control, ByteSpan data, const RingShape& shape, std::uint64_t token, Back back,
             std::shared_ptr<const void> owner);

  // Memory for a block: a place in the data region, which is free again when the buffer and all it moved to are gone;
  // of the heap if there is no place or no memory.
  AlignedBuffer allocate(std::size_t bytes);

  // Makes the next step visible. True: its block lies in the data region and must be kept until every reader has
  // released the step. False: readers are told to wait for a message. At most `slots` steps may be unreleased.
  bool publish(ByteView block);
  void end(std::uint64_t steps) noexcept;
  void fail() noexcept;

  std::uint64_t released(std::uint32_t reader) const noexcept;
  bool preempted() const noexcept;  // by any reader

 private:
  struct Region;

  RingHead* head_;
  RingCell* cells_;
  RingSlot* slots_;
  RingShape shape_;
  Back back_;
  std::shared_ptr<Region> region_;
  std::uint64_t backed_ = 0;  // bytes of the data region from its beginning
  std::uint64_t published_;
};

// One thread. Borrows both regions.
class RingReader {
 public:
  // Throws STOWAGE_INTERNAL_ERROR if this is not the ring of that token.
  RingReader(ByteSpan control, ByteView data, const RingShape& shape, std::uint64_t token, std::uint32_t reader);

  bool has(std::uint64_t step) const noexcept { return head_->published.load(std::memory_order_acquire) > step; }
  bool failed() const noexcept { return head_->failed.load(std::memory_order_acquire) != 0; }
  std::uint64_t end() const noexcept { return head_->end.load(std::memory_order_acquire); }

  // The block of a published, unreleased step; nothing if it comes by message.
  std::optional<ByteView> block(std::uint64_t step) const;

  void release(std::uint64_t below) noexcept;  // every step below it
  void preempt() noexcept;                     // may be called in a signal handler

 private:
  RingHead* head_;
  RingCell* cell_;
  const RingSlot* slots_;
  RingShape shape_;
  ByteView data_;
};

}  // namespace stowage::deliver
