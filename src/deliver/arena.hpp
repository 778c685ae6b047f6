// SPDX-License-Identifier: Apache-2.0
// Which parts of a region are in use. Deals with places, not with memory: pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace stowage::deliver {

// Gives the lowest place that is long enough, so that what was used before is used again first and a region is touched
// no further than the blocks that live at one time need. Made for few large blocks: take() looks at each.
class Arena {
 public:
  static constexpr std::uint64_t kAlignment = 64;  // of places and of their lengths

  explicit Arena(std::uint64_t capacity) : capacity_(capacity) {}

  std::optional<std::uint64_t> take(std::uint64_t bytes);  // the offset; nothing if no free part is long enough
  void give_back(std::uint64_t offset);                    // one that take() gave; in any order

  std::uint64_t capacity() const noexcept { return capacity_; }
  std::size_t taken() const noexcept { return end_of_.size(); }  // places in use

 private:
  std::uint64_t capacity_;
  std::map<std::uint64_t, std::uint64_t> end_of_;  // of each place in use, by its beginning
};

}  // namespace stowage::deliver
