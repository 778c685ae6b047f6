// SPDX-License-Identifier: Apache-2.0
// A block of bytes that starts on a cache line, without initialisation: from the heap, or lent by another owner.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>

#include "base/bytes.hpp"

namespace stowage::deliver {

// Move-only.
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(static_cast<std::byte*>(::operator new (size, std::align_val_t{kAlignment}))), size_(size) {}

  // Lent memory, aligned as above. give_back() is called once, by the destructor of the last holder; it must not throw.
  AlignedBuffer(ByteSpan memory, std::function<void()> give_back)
      : data_(memory.data(), Free{std::move(give_back)}), size_(memory.size()) {}

  std::size_t size() const noexcept { return size_; }
  ByteSpan bytes() noexcept { return {data_.get(), size_}; }
  ByteView bytes() const noexcept { return {data_.get(), size_}; }

 private:
  struct Free {
    std::function<void()> give_back;  // empty: of the heap
    void operator()(std::byte* data) const {
      if (give_back) {
        give_back();
      } else {
        ::operator delete (data, std::align_val_t{kAlignment});
      }
    }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

// Gives memory for a block of so many bytes.
using Allocate = std::function<AlignedBuffer(std::size_t)>;

inline AlignedBuffer from_heap(std::size_t bytes) {
  return AlignedBuffer(bytes);
}

}  // namespace stowage::deliver
