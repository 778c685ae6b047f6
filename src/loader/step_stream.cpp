// SPDX-License-Identifier: Apache-2.0
#include "loader/step_stream.hpp"

#include <algorithm>
#include <cmath>

#include "base/narrow.hpp"
#include "loader/describe.hpp"

namespace stowage::loader {

SourceCount& SourceCount::operator+=(const SourceCount& other) {
  drawn += other.drawn;
  delivered += other.delivered;
  tokens += other.tokens;
  truncated += other.truncated;
  tokens_cut += other.tokens_cut;
  split += other.split;
  for (std::size_t r = 0; r < kReasons; ++r) dropped[r] += other.dropped[r];
  return *this;
}

std::vector<mixture::SourceSpec> source_specs(const config::Config& config, const Catalogue& catalogue) {
  std::vector<mixture::SourceSpec> specs;
  for (std::size_t s = 0; s < config.sources.size(); ++s) {
    const config::Source& source = config.sources[s];
    const SourceInfo& info = catalogue.sources()[s];
    double weight = source.weight;
    if (config.natural_weights) {
      weight = static_cast<double>(info.sequences);
    } else if (config.weight_unit == config::WeightUnit::tokens && weight > 0.0) {
      // A share of tokens becomes a share of sequences by the mean length, which over whole epochs is exact.
      weight /= std::max(info.mean_tokens(), 1.0);
    }
    specs.push_back({source.name, info.sequences, weight, source.order == config::Order::shuffled});
  }
  return specs;
}

std::optional<std::uint64_t> count_steps(const config::Config& config, const Catalogue& catalogue) {
  if (config.steps) return config.steps;
  if (config.batch.sequences == 0) return std::nullopt;
  std::uint64_t kept = 0;
  for (std::size_t s = 0; s < config.sources.size(); ++s) {
    if (!disabled(config, config.sources[s])) kept += deliverable(config.sources[s], catalogue.sources()[s]);
  }
  const std::uint64_t all = checked_mul(kept, *config.epochs, "sequences of all epochs");
  const std::uint64_t whole = all / config.batch.sequences;
  const bool partial = all % config.batch.sequences != 0 && config.batch.last == config::LastBatch::deliver;
  return whole + (partial ? 1 : 0);
}

StepStream::StepStream(const config::Config& config, const Catalogue& catalogue, exchange::Team& team)
    : config_(config),
      catalogue_(catalogue),
      team_(team),
      draws_(config.seed, source_specs(config, catalogue), config.epochs),
      counts_(config.sources.size()) {}

// How many draws are described at a time. Does not influence the stream.
std::uint64_t StepStream::chunk() const noexcept {
  constexpr std::uint64_t kSmallest = 16;
  constexpr std::uint64_t kLargest = 1 << 16;
  if (config_.batch.sequences != 0) return std::clamp(config_.batch.sequences, kSmallest, kLargest);
  std::uint64_t tokens = 0;
  std::uint64_t sequences = 0;
  for (const SourceInfo& source : catalogue_.sources()) {
    tokens += source.tokens;
    sequences += source.sequences;
  }
  const double mean = static_cast<double>(tokens) / static_cast<double>(std::max<std::uint64_t>(sequences, 1));
  const double wanted = static_cast<double>(config_.batch.tokens) / std::max(mean, 1.0);
  return static_cast<std::uint64_t>(
      std::clamp(wanted, static_cast<double>(kSmallest), static_cast<double>(kLargest)));
}

void StepStream::describe_more() {
  std::vector<mixture::Draw> draws;
  for (std::uint64_t n = chunk(); n > 0 && !drawn_out_; --n) {
    if (const auto draw = draws_.next()) {
      draws.push_back(*draw);
    } else {
      drawn_out_ = true;
    }
  }
  const std::vector<Location> locations = describe(draws, catalogue_, team_);
  for (std::size_t d = 0; d < draws.size(); ++d) described_.push_back({draws[d], locations[d]});
}

// Adds one described draw to the batch; false, and nothing done, if it belongs to the next step.
bool StepStream::take(StepBatch& batch, const Described& described, std::uint64_t& tokens) {
  const std::uint32_t s = described.draw.source;
  std::vector<Piece> pieces;
  const Fate fate = cut(config_.sources[s], config_.micro_batch, described.location.tokens, pieces);
  std::uint64_t kept = 0;
  for (const Piece& piece : pieces) kept += piece.tokens;
  if (config_.batch.tokens != 0 && batch.sequences > 0 && !pieces.empty() && tokens + kept > config_.batch.tokens) {
    return false;
  }

  SourceCount& count = counts_[s];
  ++count.drawn;
  ++batch.draws;
  if (fate == Fate::dropped_over_long) ++count.dropped[static_cast<std::size_t>(Reason::over_long)];
  if (fate == Fate::dropped_zero_length) ++count.dropped[static_cast<std::size_t>(Reason::zero_length)];
  if (pieces.empty()) return true;
  if (fate == Fate::truncated) ++count.truncated;
  if (fate == Fate::split) ++count.split;
  count.tokens_cut += described.location.tokens - kept;
  ++count.delivered;
  count.tokens += kept;
  ++batch.sequences;
  tokens += kept;
  for (const Piece& piece : pieces) {
    batch.segments.push_back(
        {described.draw, piece, described.location.shard, described.location.begin + piece.begin});
  }
  return true;
}

std::optional<StepBatch> StepStream::next() {
  if (config_.steps && step_ == *config_.steps) return std::nullopt;
  StepBatch batch;
  batch.step = step_;
  const bool may_drop = config_.epochs && config_.batch.last == config::LastBatch::drop;
  const std::vector<SourceCount> before = may_drop ? counts_ : std::vector<SourceCount>{};
  std::uint64_t tokens = 0;
  bool full = false;
  while (!full) {
    if (described_.empty()) {
      if (drawn_out_) break;
      describe_more();
      continue;
    }
    if (!take(batch, described_.front(), tokens)) break;
    described_.pop_front();
    full = config_.batch.sequences != 0 ? batch.sequences == config_.batch.sequences : tokens == config_.batch.tokens;
  }
  // With batches in tokens, a batch is complete when the next sequence did not fit; without a next one it is the last.
  const bool incomplete = !full && described_.empty() && drawn_out_;
  if (batch.sequences == 0) return std::nullopt;
  if (incomplete && may_drop) {
    drop_incomplete(before);
    return std::nullopt;
  }
  ++step_;
  return batch;
}

// What was delivered since `before` was dropped after all.
void StepStream::drop_incomplete(const std::vector<SourceCount>& before) {
  for (std::size_t s = 0; s < counts_.size(); ++s) {
    SourceCount kept = before[s];
    kept.drawn = counts_[s].drawn;
    kept.dropped = counts_[s].dropped;
    kept.dropped[static_cast<std::size_t>(Reason::last_batch)] += counts_[s].delivered - before[s].delivered;
    counts_[s] = kept;
  }
}

}  // namespace stowage::loader
