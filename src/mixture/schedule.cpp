// SPDX-License-Identifier: Apache-2.0
#include "mixture/schedule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "base/narrow.hpp"

namespace stowage::mixture {

namespace {

__extension__ typedef unsigned __int128 Wide;  // draws (< 2^64) times weights (< 2^63)

// Positions end before 2^64, so a release or deadline beyond may stand anywhere beyond.
std::uint64_t saturated(Wide position) noexcept {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  return position > last ? last : static_cast<std::uint64_t>(position);
}

std::vector<std::uint64_t> to_integers(std::span<const double> weights) {
  double largest = 0.0;
  std::uint64_t positive = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0.0) {
      fail(STOWAGE_INVALID_ARGUMENT, "weight of source {} must be finite and >= 0, got {}", i, weights[i]);
    }
    largest = std::max(largest, weights[i]);
    if (weights[i] > 0.0) ++positive;
  }
  if (positive == 0) {
    fail(STOWAGE_INVALID_ARGUMENT, "at least one of {} weights must be > 0; give a source a weight", weights.size());
  }
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  const int bits = 63 - static_cast<int>(std::bit_width(positive));
  std::vector<std::uint64_t> integers(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    integers[i] =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::round(std::ldexp(weights[i], bits - exponent))));
  }
  return integers;
}

// Heap order of std::push_heap with the smallest (key, source) on top.
constexpr auto later = [](const auto& a, const auto& b) {
  return a.key != b.key ? a.key > b.key : a.source > b.source;
};

}  // namespace

Schedule::Schedule(std::span<const double> weights) : weights_(to_integers(weights)), given_(weights.size()) {
  narrow<std::uint32_t>(weights.size(), "number of sources");
  for (const std::uint64_t weight : weights_) total_ += weight;
  restore(std::vector<std::uint64_t>(weights.size()));
}

std::uint64_t Schedule::release(std::uint32_t source) const noexcept {
  return saturated(Wide{given_[source]} * total_ / weights_[source]);
}

std::uint64_t Schedule::deadline(std::uint32_t source) const noexcept {
  const Wide weight = weights_[source];
  return saturated(((Wide{given_[source]} + 1) * total_ + weight - 1) / weight);
}

void Schedule::push_waiting(std::uint32_t source) {
  waiting_.push_back({release(source), source});
  std::push_heap(waiting_.begin(), waiting_.end(), later);
}

std::uint32_t Schedule::next() {
  while (!waiting_.empty() && waiting_.front().key <= position_) {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    Job& job = waiting_.back();
    ready_.push_back({deadline(job.source), job.source});
    waiting_.pop_back();
    std::push_heap(ready_.begin(), ready_.end(), later);
  }
  // The shares add up to 1: were every source's next draw released later, the draws given would exceed the position.
  STOWAGE_ASSERT(kAssertLight, !ready_.empty(), "no source may give position {}", position_);
  std::pop_heap(ready_.begin(), ready_.end(), later);
  const std::uint32_t source = ready_.back().source;
  ready_.pop_back();
  ++given_[source];
  ++position_;
  push_waiting(source);
  return source;
}

std::uint64_t Schedule::position() const noexcept {
  return position_;
}

std::span<const std::uint64_t> Schedule::given() const noexcept {
  return given_;
}

void Schedule::restore(std::span<const std::uint64_t> given) {
  if (given.size() != weights_.size()) {
    fail(STOWAGE_INVALID_ARGUMENT, "the state to restore must have {} sources, got {}", weights_.size(), given.size());
  }
  std::uint64_t position = 0;
  for (const std::uint64_t count : given) position = checked_add(position, count, "sum of the draws to restore");
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Wide exact = Wide{position} * weights_[i];
    const Wide actual = Wide{given[i]} * total_;
    if ((actual > exact ? actual - exact : exact - actual) >= total_) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "source {} cannot have given {} of {} draws with these weights: more than one from its share; the state to "
           "restore belongs to another mixture",
           i, given[i], position);
    }
  }
  given_.assign(given.begin(), given.end());
  position_ = position;
  waiting_.clear();
  ready_.clear();
  for (std::uint32_t source = 0; source < weights_.size(); ++source) {
    if (weights_[source] > 0) push_waiting(source);
  }
}

}  // namespace stowage::mixture
