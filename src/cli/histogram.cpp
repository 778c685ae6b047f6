// SPDX-License-Identifier: Apache-2.0
#include "cli/histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace stowage::cli {
namespace {

constexpr std::size_t kShortestBar = 10;

std::string label_of(const source::LengthBin& bin) {
  return bin.from == bin.to ? fmt::format("{}", bin.from) : fmt::format("{}-{}", bin.from, bin.to);
}

// A bar of `eighths` of a character.
std::string bar_of(std::size_t eighths, bool ascii) {
  constexpr std::array<std::string_view, 8> kParts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (ascii) return std::string((eighths + 7) / 8, '#');
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar.append(kParts[eighths % 8]);
}

template <typename Texts>
std::size_t longest(const Texts& texts) {
  std::size_t length = 0;
  for (const std::string& text : texts) length = std::max(length, text.size());
  return length;
}

}  // namespace

std::string draw_histogram(std::span<const source::LengthBin> bins, std::size_t columns, bool ascii) {
  std::vector<std::string> labels, counts;
  std::uint64_t most = 1;
  for (const source::LengthBin& bin : bins) {
    labels.push_back(label_of(bin));
    counts.push_back(with_thousands(bin.count));
    most = std::max(most, bin.count);
  }
  const std::size_t label_width = longest(labels);
  const std::size_t taken = label_width + longest(counts) + 5;  // two spaces before, one at either end of the bar
  const std::size_t bar_width = std::max(kShortestBar, columns > taken ? columns - taken : 0);
  std::string text;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double share = static_cast<double>(bins[i].count) / static_cast<double>(most);
    auto eighths = static_cast<std::size_t>(share * static_cast<double>(8 * bar_width));
    if (bins[i].count > 0) eighths = std::max<std::size_t>(eighths, 1);
    text += fmt::format("  {:>{}} {} {}\n", labels[i], label_width, bar_of(eighths, ascii), counts[i]);
  }
  return text;
}

}  // namespace stowage::cli
