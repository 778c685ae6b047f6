// SPDX-License-Identifier: Apache-2.0
// A block of bytes that starts on a cache line, without initialisation.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "base/bytes.hpp"

namespace stowage::deliver {

class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(static_cast<std::byte*>(::operator new(size, std::align_val_t{kAlignment}))), size_(size) {}

  std::size_t size() const noexcept { return size_; }
  ByteSpan bytes() noexcept { return {data_.get(), size_}; }
  ByteView bytes() const noexcept { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept { ::operator delete(data, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace stowage::deliver
