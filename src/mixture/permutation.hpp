// SPDX-License-Identifier: Apache-2.0
// A source's shuffled order: a keyed permutation of [0, n) that is computed, not stored.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stowage::mixture {

// The key of one epoch of one source. Keyed by the source's name, not its place in the list, so that adding a source
// leaves the order of the others as it was.
std::uint64_t epoch_key(std::uint64_t seed, std::string_view source_name, std::uint64_t epoch) noexcept;

// A balanced Feistel network over the smallest even-width power of two >= n with cycle walking (Black and Rogaway,
// "Ciphers with Arbitrary Finite Domains", CT-RSA 2002): shorter than four walks on average. Constant memory, any
// position at once. Every n is legal; with n = 0 there is no position to ask for. Value type; const calls are
// thread-safe. The mapping is pinned: a change of it changes every training run's order.
class Permutation {
 public:
  Permutation(std::uint64_t key, std::uint64_t n) noexcept;

  std::uint64_t size() const noexcept { return n_; }
  std::uint64_t operator()(std::uint64_t position) const noexcept;  // position < size()

 private:
  static constexpr int kRounds = 8;

  std::uint64_t encrypt(std::uint64_t block) const noexcept;

  std::uint64_t n_;
  unsigned half_bits_;
  std::uint64_t half_mask_;
  std::array<std::uint64_t, kRounds> round_keys_;
};

}  // namespace stowage::mixture
