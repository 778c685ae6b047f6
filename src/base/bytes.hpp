// SPDX-License-Identifier: Apache-2.0
// Byte buffers and views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stowage {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;
using ByteSpan = std::span<std::byte>;

template <typename T>
requires std::is_trivially_copyable_v<T> ByteView bytes_of(const T& value) {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}

inline ByteView bytes_of(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace stowage
