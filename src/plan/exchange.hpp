// SPDX-License-Identifier: Apache-2.0
// The moves of the local search: up to three items of one bin against up to three of another.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/bins.hpp"

namespace stowage::plan {

// Candidate exchanges a search may still look at. Counted, not timed, so that the result is reproducible.
class MoveBudget {
 public:
  explicit MoveBudget(std::uint64_t moves) : left_(moves) {}
  bool exhausted() const noexcept { return left_ == 0; }
  void spend(std::uint64_t moves) noexcept { left_ -= moves < left_ ? moves : left_; }

 private:
  std::uint64_t left_;
};

// Up to three items that change bins together; no items means nothing goes that way.
struct Parcel {
  Work work = 0;
  std::uint64_t tokens = 0;
  std::uint64_t tiles = 0;
  std::uint32_t longest = 0;
  std::array<std::uint32_t, 3> items{};
  std::uint8_t count = 0;
};

struct Exchange {
  Parcel out;         // from the slower bin to the faster
  Parcel in;          // the other way
  double time = 0.0;  // of the slower of the two bins afterwards
  bool found = false;
};

// Bins' items must be sorted ascending (costliest first), and `slow` must take longer than `fast`.
class ExchangeSearch {
 public:
  explicit ExchangeSearch(const Items& items, bool keep_filled) : items_(items), keep_filled_(keep_filled) {}

  // The exchange of at most one item each way after which the slower of the two is fastest; O(items of both).
  Exchange single(const Bin& slow, const Bin& fast, MoveBudget& budget);
  // The same with more items each way: two, of at most kPairedItems evenly chosen ones of a bin, and three where a bin
  // has at most kTripledItems; O(s log s) in the number of such subsets.
  Exchange several(const Bin& slow, const Bin& fast, MoveBudget& budget);

  void apply(const Exchange& exchange, Bin& slow, Bin& fast) const;

  static constexpr std::size_t kPairedItems = 24;
  static constexpr std::size_t kTripledItems = 10;

 private:
  Parcel parcel(std::uint32_t item) const;
  void subsets(const Bin& bin, std::vector<Parcel>& parcels) const;
  void consider(const Bin& slow, const Bin& fast, const Parcel& out, const Parcel& in, Exchange& best) const;

  const Items& items_;
  bool keep_filled_;         // a bin that holds items must not become empty
  std::vector<Parcel> out_;  // scratch
  std::vector<Parcel> in_;
};

}  // namespace stowage::plan
