// SPDX-License-Identifier: Apache-2.0
#include "loader/policy.hpp"

#include <algorithm>
#include <limits>

#include "base/narrow.hpp"

namespace stowage::loader {

bool disabled(const config::Config& config, const config::Source& source) noexcept {
  return !config.natural_weights && source.weight == 0.0;
}

std::uint64_t longest_segment(const config::MicroBatch& micro_batch) noexcept {
  return micro_batch.tokens / micro_batch.pad_segments_to * micro_batch.pad_segments_to;
}

Fate cut(const config::Source& source, const config::MicroBatch& micro_batch, std::uint64_t tokens,
         std::vector<Piece>& pieces) {
  const std::uint64_t longest = longest_segment(micro_batch);
  if (tokens == 0 && source.zero_length == config::ZeroLength::drop) return Fate::dropped_zero_length;
  if (tokens <= longest) {
    pieces.push_back({0, static_cast<std::uint32_t>(tokens), 0});
    return Fate::whole;
  }
  switch (source.over_long) {
    case config::OverLong::drop:
      return Fate::dropped_over_long;
    case config::OverLong::truncate:
      pieces.push_back({0, static_cast<std::uint32_t>(longest), 0});
      return Fate::truncated;
    case config::OverLong::split: {
      std::uint32_t number = 0;
      for (std::uint64_t begin = 0; begin < tokens; begin += longest) {
        pieces.push_back({begin, static_cast<std::uint32_t>(std::min(longest, tokens - begin)), number++});
      }
      return Fate::split;
    }
    case config::OverLong::error:
      break;
  }
  fail(STOWAGE_INTERNAL_ERROR, "source '{}': a sequence of {} tokens passed the check of over_long: error", source.name,
       tokens);
}

std::uint64_t deliverable(const config::Source& source, const SourceInfo& info) noexcept {
  std::uint64_t kept = info.sequences;
  if (source.over_long == config::OverLong::drop) kept -= info.over_long;
  if (source.zero_length == config::ZeroLength::drop) kept -= info.zero_length;
  return kept;
}

void refuse_over_long(const config::Source& source, const SourceInfo& info, const config::MicroBatch& micro_batch) {
  if (source.over_long != config::OverLong::error || info.over_long == 0) return;
  fail(
      STOWAGE_DATA_ERROR,
      "{} of {} sequences are longer than a micro-batch holds ({} tokens; the longest has {}); choose over_long: drop, "
      "truncate or split, or raise micro_batch.tokens",
      info.over_long, info.sequences, longest_segment(micro_batch), info.longest);
}

void check_enough(const config::Config& config, const std::vector<SourceInfo>& sources,
                  std::vector<Catalogue::Problem>& problems) {
  std::uint64_t kept = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (!disabled(config, config.sources[s])) kept += deliverable(config.sources[s], sources[s]);
  }
  const auto add = [&](std::string message) {
    problems.push_back({{config.batch.mark, std::move(message)}, STOWAGE_CONFIG_ERROR});
  };
  if (kept == 0) {
    add("no sequence is left to deliver: the policies over_long and zero_length drop all of them");
  } else if (config.epochs && kept < config.data_parallel) {
    add(fmt::format(
        "expected at least as many sequences as replicas ({}), found {} in all sources; lower data_parallel "
        "or add data",
        config.data_parallel, kept));
  }
}

}  // namespace stowage::loader
