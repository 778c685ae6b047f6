// SPDX-License-Identifier: Apache-2.0
// Hashing with XXH3 (xxhash library): 64 bits for checksums and keys, 128 bits for digests. Not cryptographic.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "base/bytes.hpp"

namespace stowage {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed = 0) noexcept;

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  std::string hex() const;  // 32 lower-case hexadecimal digits
  auto operator<=>(const Digest&) const = default;
};

// A streaming 128-bit hash. Every value added is hashed by its bytes in native order; arrays are preceded by their
// length, so that [1],[2,3] and [1,2],[3] differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& add_bytes(ByteView bytes);

  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> Hasher& add(T value) {
    return add_bytes(std::as_bytes(std::span<const T, 1>(&value, 1)));
  }

  template <typename T>
  requires std::is_arithmetic_v<T> Hasher& add_array(std::span<const T> values) {
    return add(static_cast<std::uint64_t>(values.size())).add_bytes(std::as_bytes(values));
  }

  Digest digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stowage
