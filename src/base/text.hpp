// SPDX-License-Identifier: Apache-2.0
// Text for people: numbers with units, nearest words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stowage {

std::string with_thousands(std::uint64_t value);  // 1234567 -> "1,234,567"
std::string human_bytes(std::uint64_t bytes);     // 1536 -> "1.5 KiB"

// The candidate with the smallest edit distance to `word`, if it is near enough to be a likely typing error (at most a
// third of the word's length, at least 1); empty otherwise. Ties go to the first candidate. One edit is a letter
// inserted, deleted, replaced, or swapped with its neighbour (optimal string alignment).
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace stowage
