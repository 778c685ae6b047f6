// SPDX-License-Identifier: Apache-2.0
#include "mixture/permutation.hpp"

#include <algorithm>
#include <bit>

#include "base/bytes.hpp"
#include "base/hash.hpp"

namespace stowage::mixture {

namespace {

constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15;

// The output function of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
// 2014; constants: Stafford's variant 13 of the MurmurHash3 finaliser). With states kGamma apart it is that generator.
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t epoch_key(std::uint64_t seed, std::string_view source_name, std::uint64_t epoch) noexcept {
  return mix64(hash64(bytes_of(source_name), seed) + kGamma * epoch);
}

Permutation::Permutation(std::uint64_t key, std::uint64_t n) noexcept : n_(n) {
  const auto width = static_cast<unsigned>(std::bit_width(n == 0 ? 0 : n - 1));
  half_bits_ = std::max(1U, (width + 1) / 2);
  half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
  for (std::uint64_t& round_key : round_keys_) round_key = mix64(key += kGamma);
}

std::uint64_t Permutation::encrypt(std::uint64_t block) const noexcept {
  std::uint64_t left = block >> half_bits_;
  std::uint64_t right = block & half_mask_;
  for (const std::uint64_t round_key : round_keys_) {
    const std::uint64_t mixed = left ^ (mix64(right ^ round_key) & half_mask_);
    left = right;
    right = mixed;
  }
  return (left << half_bits_) | right;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const noexcept {
  // A cycle of the block permutation that starts inside [0, n) comes back to it, at the latest at its start.
  std::uint64_t block = encrypt(position);
  while (block >= n_) block = encrypt(block);
  return block;
}

}  // namespace stowage::mixture
