// SPDX-License-Identifier: Apache-2.0
// The rings of one loader rank, all in one shared memory, and how a trainer of the node finds its own there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "deliver/shared_memory.hpp"
#include "deliver/step_ring.hpp"

namespace stowage::deliver {

// What a trainer is told. memory.bytes = 0: there is no ring for it.
struct RingPlace {
  SharedMemory::Place memory;
  std::uint64_t control_offset = 0;
  std::uint64_t data_offset = 0;
  RingShape shape;
  std::uint64_t token = 0;
  std::uint32_t reader = 0;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& memory& control_offset& data_offset& shape& token& reader;
  }
};

// The loader's side.
class SharedRings {
 public:
  // readers: of each replica that gets a ring (by replica; >= 1). slots: steps in a ring. data_bytes: most memory that
  // a ring's blocks take; taken from the system as it is needed. first: the step that the rings begin with. Throws
  // STOWAGE_IO_ERROR where it cannot be had.
  SharedRings(const std::map<std::uint32_t, std::uint32_t>& readers, std::uint32_t slots, std::uint64_t data_bytes,
              std::uint64_t first = 0);

  RingWriter& of(std::uint32_t replica) { return rings_.at(replica).writer; }
  RingPlace place(std::uint32_t replica, std::uint32_t reader) const;

 private:
  struct Ring {
    RingWriter writer;
    RingPlace place;  // reader 0's
  };
  std::map<std::uint32_t, Ring> rings_;
};

// A trainer's side: the data is mapped read-only.
class SharedRing {
 public:
  // Throws STOWAGE_IO_ERROR or STOWAGE_INTERNAL_ERROR where that ring cannot be reached.
  explicit SharedRing(const RingPlace& place);

  const RingReader& reader() const noexcept { return reader_; }
  RingReader& reader() noexcept { return reader_; }

 private:
  Mapping control_;
  Mapping data_;
  RingReader reader_;
};

}  // namespace stowage::deliver
