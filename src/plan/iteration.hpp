// SPDX-License-Identifier: Apache-2.0
// One iteration of a vision-language step: every replica's k-th micro-batch, and how uneven they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace stowage::plan {

struct Load {
  std::int64_t tiles = 0;
  std::int64_t language = 0;  // work
  std::int64_t tokens = 0;

  friend Load operator+(const Load& a, const Load& b) {
    return {a.tiles + b.tiles, a.language + b.language, a.tokens + b.tokens};
  }
  friend Load operator-(const Load& a, const Load& b) {
    return {a.tiles - b.tiles, a.language - b.language, a.tokens - b.tokens};
  }
};

struct MicroBatch {
  Load load;
  std::vector<std::uint32_t> items;
};

// One micro-batch and the load that it would have.
struct Altered {
  std::size_t bin;
  Load load;
};

inline double share_waited(double most, double sum, std::size_t replicas) {
  return most > 0.0 ? 1.0 - sum / (most * static_cast<double>(replicas)) : 0.0;
}

// The DistRatios of one iteration, and what they would be with one or two micro-batches altered, in constant time: the
// three largest loads are kept, so at least one of them is not altered.
class Iteration {
 public:
  Iteration(const std::vector<MicroBatch>& bins, std::size_t begin, std::size_t end) : replicas_(end - begin) {
    for (std::size_t b = begin; b < end; ++b) {
      tiles_.take(bins[b].load.tiles, b);
      language_.take(bins[b].load.language, b);
    }
    current_ = with({}, {});
  }
  double current() const noexcept { return current_; }
  std::array<std::size_t, 2> slowest() const noexcept { return {tiles_.top[0].second, language_.top[0].second}; }

  double with(std::span<const Altered> altered, std::span<const Load> before) const {
    std::int64_t tiles_most = tiles_.most_except(altered);
    std::int64_t language_most = language_.most_except(altered);
    std::int64_t tiles_sum = tiles_.sum;
    std::int64_t language_sum = language_.sum;
    for (std::size_t k = 0; k < altered.size(); ++k) {
      tiles_most = std::max(tiles_most, altered[k].load.tiles);
      language_most = std::max(language_most, altered[k].load.language);
      tiles_sum += altered[k].load.tiles - before[k].tiles;
      language_sum += altered[k].load.language - before[k].language;
    }
    return share_waited(static_cast<double>(tiles_most), static_cast<double>(tiles_sum), replicas_) +
           share_waited(static_cast<double>(language_most), static_cast<double>(language_sum), replicas_);
  }

 private:
  struct Phase {
    std::array<std::pair<std::int64_t, std::size_t>, 3> top{};
    std::size_t filled = 0;
    std::int64_t sum = 0;

    void take(std::int64_t load, std::size_t bin) {
      sum += load;
      std::pair<std::int64_t, std::size_t> entry(load, bin);
      for (std::size_t k = 0; k < filled; ++k) {
        if (entry.first > top[k].first) std::swap(entry, top[k]);
      }
      if (filled < top.size()) top[filled++] = entry;
    }
    std::int64_t most_except(std::span<const Altered> altered) const {
      for (std::size_t k = 0; k < filled; ++k) {
        const auto is_it = [&](const Altered& one) { return one.bin == top[k].second; };
        if (std::none_of(altered.begin(), altered.end(), is_it)) return top[k].first;
      }
      return 0;
    }
  };

  std::size_t replicas_;
  Phase tiles_;
  Phase language_;
  double current_ = 0.0;
};

}  // namespace stowage::plan
