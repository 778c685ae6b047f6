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
// feasible at full load by Baruah et al., "Proportionate progress", 1996). O(log S) a draw, O(S) memory. Ties go to the
// lower source. A source of weight 0 never gives.
//
// Weights become integers once, in the constructor; all that follows is exact (128-bit products), so nothing drifts.
// One power of two scales them all, such that the largest lies in [2^(B-1), 2^B] with B = 63 - bit_width(S), S the
// number of weights above 0: B is 52 or more up to 2,047 sources. What a weight has below 2^-B of the largest is
// rounded to nearest, and a weight that would become 0 becomes 1; integer weights up to 2^(B-1) and their multiples by
// a power of two are taken exactly. The bound above holds for the integers; the shares as given differ from theirs by
// less than 2^(1-B), which is a thousandth of a draw after 10^12 positions.
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
  struct Job {
    std::uint64_t key;  // release or deadline, a position
    std::uint32_t source;
  };

  std::uint64_t release(std::uint32_t source) const noexcept;   // of the source's next draw
  std::uint64_t deadline(std::uint32_t source) const noexcept;  // the first position after it
  void push_waiting(std::uint32_t source);

  std::vector<std::uint64_t> weights_;  // by source; the shares are weights_[i] / total_
  std::uint64_t total_ = 0;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> given_;
  std::vector<Job> waiting_;  // min-heap by (release, source)
  std::vector<Job> ready_;    // min-heap by (deadline, source)
};

}  // namespace stowage::mixture
