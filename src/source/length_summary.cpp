// SPDX-License-Identifier: Apache-2.0
#include "source/length_summary.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace stowage::source {
namespace {

// A bin's number for lengths >= 1: twice the exponent, plus one in the upper half of the power of two.
std::uint64_t half_octave(std::uint64_t length) {
  const auto exponent = static_cast<std::uint64_t>(std::bit_width(length)) - 1;
  const bool upper = exponent > 0 && ((length >> (exponent - 1)) & 1) != 0;
  return 2 * exponent + (upper ? 1 : 0);
}

std::uint64_t half_octave_begin(std::uint64_t number) {
  if (number == 1) return 2;  // 1 has no upper half: an empty bin
  const std::uint64_t power = std::uint64_t{1} << (number / 2);
  return number % 2 == 0 ? power : power + power / 2;
}

}  // namespace

std::vector<std::uint64_t> lengths_of(std::span<const std::uint64_t> begin) {
  std::vector<std::uint64_t> lengths(begin.empty() ? 0 : begin.size() - 1);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = begin[i + 1] - begin[i];
  return lengths;
}

LengthSummary summarise(std::vector<std::uint64_t> lengths) {
  LengthSummary summary;
  summary.count = lengths.size();
  if (lengths.empty()) return summary;
  std::ranges::sort(lengths);
  const auto quantile = [&](std::uint64_t percent) { return lengths[(lengths.size() * percent + 99) / 100 - 1]; };
  summary.zero = static_cast<std::uint64_t>(std::ranges::upper_bound(lengths, std::uint64_t{0}) - lengths.begin());
  summary.min = lengths.front();
  summary.median = quantile(50);
  summary.p90 = quantile(90);
  summary.p99 = quantile(99);
  summary.max = lengths.back();
  const std::uint64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  summary.mean = static_cast<double>(sum) / static_cast<double>(summary.count);
  return summary;
}

std::vector<LengthBin> histogram(std::span<const std::uint64_t> lengths) {
  constexpr std::uint64_t kMostBins = 20;
  std::map<std::uint64_t, std::uint64_t> counts;  // by half_octave
  std::uint64_t zero = 0;
  for (const std::uint64_t length : lengths) {
    if (length == 0) {
      ++zero;
    } else {
      ++counts[half_octave(length)];
    }
  }
  std::vector<LengthBin> bins;
  if (zero > 0) bins.push_back({0, 0, zero});
  if (counts.empty()) return bins;
  const std::uint64_t first = counts.begin()->first, last = counts.rbegin()->first;
  const std::uint64_t step = last - first < kMostBins ? 1 : 2;
  for (std::uint64_t number = first / step * step; number <= last; number += step) {
    LengthBin bin{half_octave_begin(number), half_octave_begin(number + step) - 1, 0};
    for (std::uint64_t part = number; part < number + step; ++part) {
      if (const auto found = counts.find(part); found != counts.end()) bin.count += found->second;
    }
    if (bin.from <= bin.to) bins.push_back(bin);
  }
  return bins;
}

}  // namespace stowage::source
