// SPDX-License-Identifier: Apache-2.0
#include "mixture/draw.hpp"

#include <utility>

#include "base/narrow.hpp"
#include "mixture/permutation.hpp"
#include "mixture/schedule.hpp"

namespace stowage::mixture {

struct DrawStream::Impl {
  std::uint64_t seed;
  std::vector<SourceSpec> sources;
  std::optional<std::uint64_t> epochs;
  DrawState state;
  std::optional<Schedule> schedule;  // of the present stage; nothing after the last draw

  Impl(std::uint64_t seed_, std::vector<SourceSpec> sources_, std::optional<std::uint64_t> epochs_)
      : seed(seed_), sources(std::move(sources_)), epochs(epochs_) {
    if (epochs == std::uint64_t{0}) fail(STOWAGE_INVALID_ARGUMENT, "epochs must be >= 1, got 0");
    std::vector<double> weights;
    for (const SourceSpec& source : sources) {
      if (source.weight > 0.0 && source.sequences == 0) {
        fail(STOWAGE_INVALID_ARGUMENT,
             "source '{}' must have sequences to have a weight, got 0 sequences and weight {}", source.name,
             source.weight);
      }
      weights.push_back(source.weight);
    }
    state.drawn.resize(sources.size());
    state.stage_base.resize(sources.size());
    total_at(state);  // refuses what 64 bits do not count
    schedule.emplace(weights);
  }

  // Draws that the source gives in all. Call only with epochs.
  std::uint64_t limit(const SourceSpec& source) const {
    return source.weight > 0.0 ? checked_mul(source.sequences, *epochs, "sequences times epochs of a source") : 0;
  }

  // What all sources will have given in the end if they stand at `at`. Nothing without epochs.
  std::optional<std::uint64_t> total_at(const DrawState& at) const {
    if (!epochs) return std::nullopt;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sum = checked_add(sum, sources[i].weight > 0.0 ? limit(sources[i]) : at.drawn[i], "draws of all epochs");
    }
    return sum;
  }

  bool exhausted(std::size_t source, std::uint64_t drawn) const { return epochs && drawn == limit(sources[source]); }

  // The schedule of the stage that `at` stands in, at its place; nothing when all epochs are given.
  std::optional<Schedule> schedule_of(const DrawState& at) const {
    if (at.position == total_at(at)) return std::nullopt;
    std::vector<double> weights(sources.size());
    std::vector<std::uint64_t> given(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      weights[i] = exhausted(i, at.stage_base[i]) ? 0.0 : sources[i].weight;
      given[i] = at.drawn[i] - at.stage_base[i];
    }
    Schedule stage(weights);
    stage.restore(given);
    return stage;
  }

  Draw next() {
    const std::uint32_t place = schedule->next();
    const SourceSpec& source = sources[place];
    const std::uint64_t nth = state.drawn[place]++;
    Draw draw{.position = state.position++,
              .sequence = nth % source.sequences,
              .epoch = nth / source.sequences,
              .source = place};
    if (source.shuffled) {
      draw.sequence = Permutation(epoch_key(seed, source.name, draw.epoch), source.sequences)(draw.sequence);
    }
    if (exhausted(place, state.drawn[place])) {
      state.stage_base = state.drawn;
      schedule = schedule_of(state);
    }
    return draw;
  }

  void check(const DrawState& other) const {
    if (other.drawn.size() != sources.size() || other.stage_base.size() != sources.size()) {
      fail(STOWAGE_INVALID_ARGUMENT, "the state to restore must have {} sources, got {} and {} in its stage",
           sources.size(), other.drawn.size(), other.stage_base.size());
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::uint64_t drawn = other.drawn[i];
      const std::uint64_t base = other.stage_base[i];
      sum = checked_add(sum, drawn, "sum of the draws to restore");
      const bool enabled = sources[i].weight > 0.0;
      const bool in_order = base <= drawn && !(epochs && enabled && drawn > limit(sources[i]));
      // A stage ends with the draw that exhausts a source, so that none is exhausted within one.
      if (!in_order || (drawn != base && (!enabled || exhausted(i, drawn)))) {
        fail(STOWAGE_INVALID_ARGUMENT,
             "source '{}' with {} sequences and weight {} cannot have given {} draws, {} of them before the present "
             "stage; the state to restore belongs to another mixture",
             sources[i].name, sources[i].sequences, sources[i].weight, drawn, base);
      }
    }
    if (sum != other.position) {
      fail(STOWAGE_INVALID_ARGUMENT, "the state to restore says {} draws, but its sources gave {}", other.position,
           sum);
    }
  }
};

DrawStream::DrawStream(std::uint64_t seed, std::vector<SourceSpec> sources, std::optional<std::uint64_t> epochs)
    : impl_(std::make_unique<Impl>(seed, std::move(sources), epochs)) {}
DrawStream::~DrawStream() = default;
DrawStream::DrawStream(const DrawStream& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
DrawStream::DrawStream(DrawStream&&) noexcept = default;
DrawStream& DrawStream::operator=(DrawStream&&) noexcept = default;

std::optional<Draw> DrawStream::next() {
  if (!impl_->schedule) return std::nullopt;
  return impl_->next();
}

std::optional<std::uint64_t> DrawStream::total() const {
  return impl_->total_at(impl_->state);
}

const DrawState& DrawStream::state() const noexcept {
  return impl_->state;
}

void DrawStream::restore(const DrawState& state) {
  impl_->check(state);
  impl_->schedule = impl_->schedule_of(state);
  impl_->state = state;
}

}  // namespace stowage::mixture
