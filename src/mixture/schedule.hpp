// SPDX-License-Identifier: Apache-2.0
// Which source gives the sequence at each position of the drawn order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stowage::mixture {

// Deals positions to sources so that after every n positions each source has given within one of its exact share:
// |given - n * weight / total| < 1. Earliest deadline first over unit jobs: a source's k-th draw may not come before
// position floor(k / share) and must come by ceil((k + 1) / share) (Tijdeman, "The chairman assignment problem", 1980;
// feasible at full load by Baruah et al., "Proportionate progress", 1996). Exact integers: no rounding, no drift.
// O(log S) a draw. Ties go to the lower source. A source of weight 0 never gives.
class Schedule {
 public:
  // Throws STOWAGE_INVALID_ARGUMENT unless every weight is finite and >= 0 and one is > 0.
  explicit Schedule(std::span<const double> weights);

  std::uint32_t next();                                   // the source of the next position
  std::uint64_t position() const noexcept;                // positions dealt so far
  std::span<const std::uint64_t> given() const noexcept;  // draws by source so far

  // Continue from counts that given() returned under the same weights.
  void restore(std::span<const std::uint64_t> given);

 private:
  struct Job;
  // weights_ as exact integers; two heaps: by release, by deadline
  std::vector<std::uint64_t> weights_;
  std::uint64_t total_ = 0;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> given_;
  struct Entry {
    std::uint64_t key;
    std::uint32_t source;
  };
  std::vector<Entry> waiting_;  // min-heap by (release, source)
  std::vector<Entry> ready_;    // min-heap by (deadline, source)
  void push_next(std::uint32_t source);
};

}  // namespace stowage::mixture
