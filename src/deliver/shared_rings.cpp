// SPDX-License-Identifier: Apache-2.0
#include "deliver/shared_rings.hpp"

#include <random>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::deliver {
namespace {

// Shared by the writers and by every block that they gave.
struct Memory {
  SharedMemory shared;
  Mapping mapping;
};

std::uint64_t random_token() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

SharedRings::SharedRings(const std::map<std::uint32_t, std::uint32_t>& readers, std::uint32_t slots,
                         std::uint64_t data_bytes, std::uint64_t first) {
  const std::uint64_t page = SharedMemory::page();
  std::map<std::uint32_t, RingPlace> places;
  std::uint64_t end = 0;
  for (const auto& [replica, count] : readers) {
    RingPlace& place = places[replica];
    place.shape = {slots, count, data_bytes, first};
    place.control_offset = end;
    place.data_offset = end + round_up<std::uint64_t>(place.shape.control_bytes(), page);
    end = checked_add(place.data_offset, round_up(data_bytes, page), "bytes of shared memory");
  }

  SharedMemory shared = SharedMemory::create(end);
  Mapping mapping = shared.map(0, end);
  const auto memory = std::make_shared<Memory>(Memory{std::move(shared), std::move(mapping)});
  const ByteSpan bytes = memory->mapping.writable_bytes();
  for (auto& [replica, place] : places) {
    if (!memory->shared.back(place.control_offset, place.shape.control_bytes())) {
      fail(STOWAGE_IO_ERROR, "the system has no {} bytes of shared memory to give", place.shape.control_bytes());
    }
    place.memory = memory->shared.place();
    place.token = random_token();
    const auto back = [memory, begin = place.data_offset](std::uint64_t offset, std::uint64_t length) {
      return memory->shared.back(begin + offset, length);
    };
    rings_.emplace(
        replica, Ring{RingWriter(bytes.subspan(place.control_offset, place.shape.control_bytes()),
                                 bytes.subspan(place.data_offset, data_bytes), place.shape, place.token, back, memory),
                      place});
  }
}

RingPlace SharedRings::place(std::uint32_t replica, std::uint32_t reader) const {
  RingPlace place = rings_.at(replica).place;
  place.reader = reader;
  return place;
}

SharedRing::SharedRing(const RingPlace& place)
    : control_(SharedMemory::open(place.memory, SharedMemory::Access::write)
                   .map(place.control_offset, place.shape.control_bytes())),
      data_(
          SharedMemory::open(place.memory, SharedMemory::Access::read).map(place.data_offset, place.shape.data_bytes)),
      reader_(control_.writable_bytes(), data_.bytes(), place.shape, place.token, place.reader) {}

}  // namespace stowage::deliver
