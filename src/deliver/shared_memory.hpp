// SPDX-License-Identifier: Apache-2.0
// Memory that processes of one node share, without a name in any file system: it belongs to the processes that map it,
// and the kernel frees it with the last of them, however they end. Linux (memfd_create; /proc).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace stowage::deliver {

// A part of shared memory in this process. Move-only; unmaps itself.
class Mapping {
 public:
  Mapping() = default;
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;

  ByteView bytes() const noexcept { return bytes_; }
  ByteSpan writable_bytes() noexcept { return bytes_; }  // may only be written to if mapped writable

 private:
  friend class SharedMemory;
  Mapping(int descriptor, std::uint64_t offset, std::size_t bytes, bool writable);

  ByteSpan bytes_;
};

// Move-only. Every failure is STOWAGE_IO_ERROR with the system's reason.
class SharedMemory {
 public:
  // What another process of the node needs in order to open it.
  struct Place {
    std::int64_t process = 0;
    std::int32_t descriptor = -1;
    std::uint64_t bytes = 0;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
      archive& process& descriptor& bytes;
    }
  };

  enum class Access { read, write };

  // Of fixed size. Takes no memory yet, see back().
  static SharedMemory create(std::uint64_t bytes);

  // Another process's, while that has it open. A read-only one can give no writable mapping.
  static SharedMemory open(const Place& place, Access access);

  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;

  Place place() const noexcept;
  Mapping map(std::uint64_t offset, std::size_t bytes) const;  // offset: a multiple of page()

  // Has the system provide memory for this part. False if it has none to give. Touching a part that was never backed
  // would kill the process when memory is short.
  bool back(std::uint64_t offset, std::uint64_t bytes) const noexcept;

  static std::size_t page() noexcept;

 private:
  SharedMemory(int descriptor, std::uint64_t bytes, Access access)
      : descriptor_(descriptor), bytes_(bytes), access_(access) {}

  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  Access access_ = Access::read;
};

}  // namespace stowage::deliver
