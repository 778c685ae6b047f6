// SPDX-License-Identifier: Apache-2.0
#include "loader/step_stream.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/narrow.hpp"
#include "loader/describe.hpp"

namespace stowage::loader {

namespace {

void count_dropped(checkpoint::SourceCount& count, checkpoint::Reason reason) {
  ++count.dropped[static_cast<std::size_t>(reason)];
}

// Sequences drawn that policies have not dropped.
std::uint64_t kept(const checkpoint::SourceCount& count) noexcept {
  return count.drawn - count.dropped[static_cast<std::size_t>(checkpoint::Reason::over_long)] -
         count.dropped[static_cast<std::size_t>(checkpoint::Reason::zero_length)];
}

std::vector<checkpoint::StepDelta::Count> listed(const std::map<std::uint32_t, checkpoint::SourceCount>& counts) {
  std::vector<checkpoint::StepDelta::Count> list;
  list.reserve(counts.size());
  for (const auto& [source, count] : counts) list.push_back({source, count});
  return list;
}

std::uint64_t tokens_of(const std::vector<Piece>& pieces) {
  std::uint64_t tokens = 0;
  for (const Piece& piece : pieces) tokens += piece.tokens;
  return tokens;
}

}  // namespace

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

std::optional<std::uint64_t> count_steps(const config::Config& config, const Catalogue& catalogue,
                                         const checkpoint::IteratorState& start) {
  if (config.steps) return config.steps;
  if (config.batch.sequences == 0) return std::nullopt;
  std::uint64_t left = 0;  // to be drawn and kept
  for (std::size_t s = 0; s < config.sources.size(); ++s) {
    if (disabled(config, config.sources[s])) continue;
    const std::uint64_t all = checked_mul(deliverable(config.sources[s], catalogue.sources()[s]), *config.epochs,
                                          "sequences of all epochs of a source");
    left = checked_add(left, all - std::min(all, kept(start.counts[s])), "sequences of all epochs");
  }
  const std::uint64_t whole = left / config.batch.sequences;
  const bool partial = left % config.batch.sequences != 0 && config.batch.last == config::LastBatch::deliver;
  return start.step + whole + (partial ? 1 : 0);
}

mixture::DrawStream draw_stream(const config::Config& config, const Catalogue& catalogue,
                                const mixture::DrawState& at) {
  mixture::DrawStream stream(config.seed, source_specs(config, catalogue), config.epochs);
  stream.restore(at);
  return stream;
}

checkpoint::IteratorState beginning(const config::Config& config, const Catalogue& catalogue) {
  checkpoint::IteratorState state;
  state.draws = mixture::DrawStream(config.seed, source_specs(config, catalogue), config.epochs).state();
  state.counts.resize(config.sources.size());
  return state;
}

StepStream::StepStream(const config::Config& config, const Catalogue& catalogue, exchange::Team& team,
                       const checkpoint::IteratorState& start)
    : config_(config),
      catalogue_(catalogue),
      team_(team),
      draws_(draw_stream(config, catalogue, start.draws)),
      queue_(config.defer.steps, config.data_parallel, {config.cost.linear, config.cost.quadratic}),
      step_(start.step) {
  restore_waiting(start.deferred);
}

// A sequence waits as a whole; the longest of its pieces can make a step long.
std::uint32_t StepStream::longest_piece(const Described& described) const {
  std::vector<Piece> pieces;
  cut(config_.sources[described.draw.source], config_.micro_batch, described.location.tokens, pieces);
  std::uint32_t longest = 0;
  for (const Piece& piece : pieces) longest = std::max(longest, piece.tokens);
  return longest;
}

void StepStream::restore_waiting(const std::vector<checkpoint::Deferred>& deferred) {
  std::vector<mixture::Draw> draws;
  for (const checkpoint::Deferred& one : deferred) draws.push_back(one.draw);
  const std::vector<Location> locations = describe(draws, catalogue_, team_);
  std::vector<plan::Deferrable> queued;
  for (std::size_t d = 0; d < deferred.size(); ++d) {
    waiting_.push_back({draws[d], locations[d]});
    queued.push_back({draws[d].position, longest_piece(waiting_.back()), deferred[d].waited});
  }
  queue_.restore(std::move(queued));
}

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
  return static_cast<std::uint64_t>(std::clamp(wanted, static_cast<double>(kSmallest), static_cast<double>(kLargest)));
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

// Adds one described draw to the step; false, and nothing done, if it belongs to the next one.
bool StepStream::take(Drawn& step, const Described& described, std::uint64_t& tokens) {
  const std::uint32_t s = described.draw.source;
  std::vector<Piece> pieces;
  const Fate fate = cut(config_.sources[s], config_.micro_batch, described.location.tokens, pieces);
  const std::uint64_t kept = tokens_of(pieces);
  if (config_.batch.tokens != 0 && !step.kept.empty() && !pieces.empty() && tokens + kept > config_.batch.tokens) {
    return false;
  }
  checkpoint::SourceCount& count = step.counts[s];
  ++count.drawn;
  ++step.draws;
  if (fate == Fate::dropped_over_long) count_dropped(count, checkpoint::Reason::over_long);
  if (fate == Fate::dropped_zero_length) count_dropped(count, checkpoint::Reason::zero_length);
  if (pieces.empty()) return true;
  tokens += kept;
  step.kept.push_back(described);
  return true;
}

std::optional<StepStream::Drawn> StepStream::draw_step() {
  Drawn step;
  std::uint64_t tokens = 0;
  bool full = false;
  while (!full) {
    if (described_.empty()) {
      if (drawn_out_) break;
      describe_more();
      continue;
    }
    if (!take(step, described_.front(), tokens)) break;
    described_.pop_front();
    full = config_.batch.sequences != 0 ? step.kept.size() == config_.batch.sequences : tokens == config_.batch.tokens;
  }
  // With batches in tokens, a batch is complete when the next sequence did not fit; without a next one it is the last.
  const bool incomplete = !full && described_.empty() && drawn_out_;
  if (incomplete && config_.epochs && config_.batch.last == config::LastBatch::drop) drop_last(step);
  if (!step.kept.empty()) return step;
  over_ = true;
  rest_.draws = step.draws;
  rest_.counts = listed(step.counts);
  return std::nullopt;
}

void StepStream::drop_last(Drawn& step) {
  for (const Described& one : step.kept) count_dropped(step.counts[one.draw.source], checkpoint::Reason::last_batch);
  step.kept.clear();
}

void StepStream::deliver(const Described& described, StepBatch& batch, Counts& counts) const {
  const std::uint32_t s = described.draw.source;
  std::vector<Piece> pieces;
  const Fate fate = cut(config_.sources[s], config_.micro_batch, described.location.tokens, pieces);
  const std::uint64_t kept = tokens_of(pieces);
  checkpoint::SourceCount& count = counts[s];
  if (fate == Fate::truncated) ++count.truncated;
  if (fate == Fate::split) ++count.split;
  count.tokens_cut += described.location.tokens - kept;
  ++count.delivered;
  count.tokens += kept;
  ++batch.sequences;
  for (const Piece& piece : pieces) {
    batch.segments.push_back({described.draw, piece, described.location.shard, described.location.begin + piece.begin});
  }
}

// Whether no step follows the one that was just drawn.
bool StepStream::is_last() {
  if (config_.steps) return step_ + 1 == *config_.steps;
  ahead_ = draw_step();
  return !ahead_;
}

// Of the sequences that wait and those drawn: the ones of this step. The others wait.
std::vector<StepStream::Described> StepStream::defer(std::vector<Described> drawn) {
  if (config_.defer.steps == 0 && waiting_.empty()) return drawn;
  std::vector<plan::Deferrable> offered;
  for (const Described& one : drawn) offered.push_back({one.draw.position, longest_piece(one), 0});
  std::vector<plan::Deferrable> now = queue_.step(offered);
  if (now.empty() || is_last()) {
    const std::vector<plan::Deferrable> late = queue_.flush();
    now.insert(now.end(), late.begin(), late.end());
  }
  std::vector<Described> pool = std::move(waiting_);
  pool.insert(pool.end(), drawn.begin(), drawn.end());
  std::unordered_set<std::uint64_t> chosen;
  for (const plan::Deferrable& one : now) chosen.insert(one.id);
  const auto later = std::stable_partition(pool.begin(), pool.end(),
                                           [&](const Described& one) { return chosen.contains(one.draw.position); });
  waiting_.assign(later, pool.end());
  pool.erase(later, pool.end());
  return pool;
}

std::vector<checkpoint::Deferred> StepStream::deferred() const {
  std::vector<checkpoint::Deferred> all;
  for (std::size_t w = 0; w < waiting_.size(); ++w) all.push_back({waiting_[w].draw, queue_.waiting()[w].waited});
  return all;
}

std::optional<StepBatch> StepStream::next() {
  if (over_ || (config_.steps && step_ >= *config_.steps)) return std::nullopt;
  std::optional<Drawn> drawn = ahead_ ? std::exchange(ahead_, std::nullopt) : draw_step();
  if (!drawn) return std::nullopt;
  StepBatch batch;
  batch.step = step_;
  for (const Described& one : defer(std::move(drawn->kept))) deliver(one, batch, drawn->counts);
  batch.delta.draws = drawn->draws;
  batch.delta.deferred = deferred();
  batch.delta.counts = listed(drawn->counts);
  ++step_;
  return batch;
}

}  // namespace stowage::loader
