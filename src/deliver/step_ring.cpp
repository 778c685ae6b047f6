// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_ring.hpp"

#include <algorithm>
#include <new>

#include "base/assert.hpp"
#include "base/narrow.hpp"

namespace stowage::deliver {
namespace {

RingCell* cells_of(std::byte* control) {
  return reinterpret_cast<RingCell*>(control + sizeof(RingHead));
}

RingSlot* slots_of(std::byte* control, const RingShape& shape) {
  return reinterpret_cast<RingSlot*>(control + sizeof(RingHead) + shape.readers * sizeof(RingCell));
}

}  // namespace

std::size_t RingShape::control_bytes() const noexcept {
  return sizeof(RingHead) + readers * sizeof(RingCell) + slots * sizeof(RingSlot);
}

// What blocks need in order to be given back after the writer is gone.
struct RingWriter::Region {
  Arena arena;
  ByteSpan data;
  std::shared_ptr<const void> owner;
};

RingWriter::RingWriter(ByteSpan control, ByteSpan data, const RingShape& shape, std::uint64_t token, Back back,
                       std::shared_ptr<const void> owner)
    : head_(::new (control.data()) RingHead),
      cells_(cells_of(control.data())),
      slots_(slots_of(control.data(), shape)),
      shape_(shape),
      back_(std::move(back)),
      region_(std::make_shared<Region>(Region{Arena(data.size()), data, std::move(owner)})),
      published_(shape.first) {
  STOWAGE_ASSERT(kAssertLight, control.size() >= shape.control_bytes() && data.size() == shape.data_bytes,
                 "regions of {} and {} bytes for a ring of {} and {}", control.size(), data.size(),
                 shape.control_bytes(), shape.data_bytes);
  for (std::uint32_t r = 0; r < shape.readers; ++r) ::new (&cells_[r]) RingCell{.released = shape.first};
  for (std::uint32_t s = 0; s < shape.slots; ++s) ::new (&slots_[s]) RingSlot;
  head_->published.store(shape.first, std::memory_order_relaxed);
  head_->token = token;
}

AlignedBuffer RingWriter::allocate(std::size_t bytes) {
  const std::optional<std::uint64_t> place = region_->arena.take(bytes);
  if (!place) return from_heap(bytes);
  // Places are the lowest free ones, so that all that is backed lies at the beginning.
  const std::uint64_t end = *place + bytes;
  if (end > backed_ && !back_(backed_, end - backed_)) {
    region_->arena.give_back(*place);
    return from_heap(bytes);
  }
  backed_ = std::max(backed_, end);
  return {region_->data.subspan(*place, bytes), [region = region_, at = *place] { region->arena.give_back(at); }};
}

bool RingWriter::publish(ByteView block) {
  const std::byte* begin = region_->data.data();
  const bool inside = block.data() >= begin && block.data() < begin + region_->data.size();
  RingSlot& slot = slots_[published_ % shape_.slots];
  slot = inside ? RingSlot{static_cast<std::uint64_t>(block.data() - begin), block.size()} : RingSlot{};
  head_->published.store(++published_, std::memory_order_release);
  return inside;
}

void RingWriter::end(std::uint64_t steps) noexcept {
  head_->end.store(steps, std::memory_order_release);
}

void RingWriter::fail() noexcept {
  head_->failed.store(1, std::memory_order_release);
}

std::uint64_t RingWriter::released(std::uint32_t reader) const noexcept {
  return cells_[reader].released.load(std::memory_order_acquire);
}

RingReader::RingReader(ByteSpan control, ByteView data, const RingShape& shape, std::uint64_t token,
                       std::uint32_t reader)
    : head_(reinterpret_cast<RingHead*>(control.data())),
      cell_(&cells_of(control.data())[reader]),
      slots_(slots_of(control.data(), shape)),
      shape_(shape),
      data_(data) {
  if (control.size() < shape.control_bytes() || reader >= shape.readers || head_->token != token) {
    stowage::fail(STOWAGE_INTERNAL_ERROR, "the shared memory of {} bytes is not the ring that the loader spoke of",
                  control.size());
  }
}

std::optional<ByteView> RingReader::block(std::uint64_t step) const {
  const RingSlot slot = slots_[step % shape_.slots];
  if (slot.bytes == 0) return std::nullopt;
  STOWAGE_ASSERT(kAssertLight, slot.bytes <= data_.size() && slot.offset <= data_.size() - slot.bytes,
                 "step {} lies at {} + {} in a region of {} bytes", step, slot.offset, slot.bytes, data_.size());
  return data_.subspan(slot.offset, slot.bytes);
}

void RingReader::release(std::uint64_t below) noexcept {
  cell_->released.store(below, std::memory_order_release);
}

void RingReader::preempt() noexcept {
  cell_->preempted.store(1, std::memory_order_release);
}

bool RingWriter::preempted() const noexcept {
  return std::any_of(cells_, cells_ + shape_.readers,
                     [](const RingCell& cell) { return cell.preempted.load(std::memory_order_acquire) != 0; });
}

}  // namespace stowage::deliver
