// SPDX-License-Identifier: Apache-2.0
#include "cli/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exchange/team.hpp"

namespace stowage::cli {
namespace {

std::vector<double> shares_of(const config::Config& config, const loader::Catalogue& catalogue) {
  std::vector<double> shares;
  for (std::size_t s = 0; s < config.sources.size(); ++s) {
    shares.push_back(config.natural_weights ? static_cast<double>(catalogue.sources()[s].sequences)
                                            : config.sources[s].weight);
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double& share : shares) share /= largest;  // so that the sum of huge weights stays finite
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

// Draws of one step, roughly.
double draws_per_step(const config::Config& config, const loader::Catalogue& catalogue) {
  if (config.batch.sequences != 0) return static_cast<double>(config.batch.sequences);
  double shortest_mean = static_cast<double>(config.batch.tokens);
  for (const loader::SourceInfo& source : catalogue.sources()) {
    if (source.sequences > 0) shortest_mean = std::min(shortest_mean, std::max(source.mean_tokens(), 1.0));
  }
  return static_cast<double>(config.batch.tokens) / shortest_mean;
}

struct Walk {
  std::uint64_t steps = 0;
  bool reached_end = false;
  LastBatch last;
  std::vector<checkpoint::SourceCount> counts;
};

LastBatch batch_of(const loader::StepBatch& step) {
  LastBatch last;
  last.sequences = step.sequences;
  for (const loader::Segment& segment : step.segments) last.tokens += segment.piece.tokens;
  return last;
}

void add(std::vector<checkpoint::SourceCount>& counts, const checkpoint::StepDelta& delta) {
  for (const checkpoint::StepDelta::Count& one : delta.counts) counts[one.source] += one.count;
}

Walk walk(const config::Config& config, const loader::Catalogue& catalogue, std::uint64_t max_draws) {
  const auto team = exchange::make_solo_team();
  loader::StepStream stream(config, catalogue, *team, loader::beginning(config, catalogue));
  Walk walk;
  walk.counts.resize(config.sources.size());
  for (std::uint64_t draws = 0; draws < max_draws;) {
    const auto step = stream.next();
    if (!step) {
      walk.reached_end = true;
      add(walk.counts, stream.rest());
      break;
    }
    draws += step->delta.draws;
    add(walk.counts, step->delta);
    walk.last = batch_of(*step);
    ++walk.steps;
  }
  return walk;
}

std::uint64_t scaled(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
}

checkpoint::SourceCount scaled(checkpoint::SourceCount count, double factor) {
  for (std::uint64_t* value :
       {&count.drawn, &count.delivered, &count.tokens, &count.truncated, &count.tokens_cut, &count.split}) {
    *value = scaled(*value, factor);
  }
  for (std::uint64_t& dropped : count.dropped) dropped = scaled(dropped, factor);
  return count;
}

std::uint64_t dropped_at_the_end(const std::vector<checkpoint::SourceCount>& counts) {
  std::uint64_t dropped = 0;
  for (const checkpoint::SourceCount& count : counts) {
    dropped += count.dropped[static_cast<std::size_t>(checkpoint::Reason::last_batch)];
  }
  return dropped;
}

// Of a run of epochs with batches measured in sequences, which need not be gone through for it.
LastBatch last_batch(const config::Config& config, const loader::Catalogue& catalogue) {
  std::uint64_t delivered = 0;
  for (std::size_t s = 0; s < config.sources.size(); ++s) {
    delivered += loader::deliverable(config.sources[s], catalogue.sources()[s]) * *config.epochs;
  }
  const std::uint64_t rest = delivered % config.batch.sequences;
  if (rest == 0) return {config.batch.sequences, 0, false};
  return {rest, 0, config.batch.last == config::LastBatch::drop};
}

// The whole run from its beginning.
void extrapolate(const config::Config& config, const loader::Catalogue& catalogue, const Walk& walk,
                 Forecast& forecast) {
  forecast.is_exact = false;
  double drawn = 0.0;
  double all = 0.0;
  for (std::size_t s = 0; s < walk.counts.size(); ++s) {
    const auto seen = static_cast<double>(walk.counts[s].drawn);
    double factor = 1.0;
    if (config.epochs && seen > 0.0) {
      factor = static_cast<double>(catalogue.sources()[s].sequences) * static_cast<double>(*config.epochs) / seen;
    } else if (config.steps) {
      factor = static_cast<double>(*config.steps) / static_cast<double>(walk.steps);
    }
    drawn += seen;
    all += seen * factor;
    forecast.sources.push_back(scaled(walk.counts[s], factor));
  }
  if (!forecast.steps) forecast.steps = scaled(walk.steps, all / drawn);
  if (config.epochs && config.batch.sequences != 0) forecast.last = last_batch(config, catalogue);
}

}  // namespace

checkpoint::SourceCount Forecast::total() const {
  checkpoint::SourceCount total;
  for (const checkpoint::SourceCount& source : sources) total += source;
  return total;
}

Forecast forecast(const config::Config& config, const loader::Catalogue& catalogue, std::uint64_t max_draws) {
  Forecast forecast;
  forecast.shares = shares_of(config, catalogue);
  forecast.steps = loader::count_steps(config, catalogue, loader::beginning(config, catalogue));
  if (draws_per_step(config, catalogue) > static_cast<double>(max_draws)) {
    forecast.is_exact = false;
    return forecast;
  }

  const Walk walked = walk(config, catalogue, max_draws);
  if (!walked.reached_end) {
    extrapolate(config, catalogue, walked, forecast);
    return forecast;
  }
  forecast.steps = walked.steps;
  forecast.sources = walked.counts;
  if (config.epochs) {
    forecast.last = walked.last;
    if (const std::uint64_t dropped = dropped_at_the_end(walked.counts); dropped > 0) {
      forecast.last = LastBatch{dropped, 0, true};
    }
  }
  return forecast;
}

}  // namespace stowage::cli
