// SPDX-License-Identifier: Apache-2.0
#include "deliver/arena.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/narrow.hpp"

namespace stowage::deliver {

std::optional<std::uint64_t> Arena::take(std::uint64_t bytes) {
  if (bytes > capacity_) return std::nullopt;
  const std::uint64_t length = round_up(std::max<std::uint64_t>(bytes, 1), kAlignment);
  std::uint64_t at = 0;
  auto next = end_of_.begin();
  for (; next != end_of_.end() && next->first - at < length; ++next) at = next->second;
  if (next == end_of_.end() && (at > capacity_ || capacity_ - at < length)) return std::nullopt;
  end_of_.emplace_hint(next, at, at + length);
  return at;
}

void Arena::give_back(std::uint64_t offset) {
  const std::size_t erased = end_of_.erase(offset);
  STOWAGE_ASSERT(kAssertLight, erased == 1, "no place in use begins at {}", offset);
}

}  // namespace stowage::deliver
