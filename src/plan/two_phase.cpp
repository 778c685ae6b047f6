// SPDX-License-Identifier: Apache-2.0
#include "plan/two_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/narrow.hpp"
#include "plan/bounds.hpp"
#include "plan/exchange.hpp"
#include "plan/iteration.hpp"
#include "plan/tile_slots.hpp"

namespace stowage::plan {

namespace {

constexpr double kNear = 4e-6;               // penalty of a micro-batch that needs no attention: 0.2 % off
constexpr double kTileWeight = 4.0;          // whole tiles are hard to put right again, language work is not
constexpr std::uint64_t kBudgetShares = 16;  // two phases of all micro-batches at once need more than one stage does
constexpr int kRounds = 6;                   // of regrouping, spreading and sharpening at most

class TwoPhase {
 public:
  TwoPhase(const Request& request, const Items& items)
      : request_(request),
        items_(items),
        budget_(std::uint64_t{request.moves_per_sequence} * items.size() * kBudgetShares) {
    for (std::uint32_t k = 0; k < items.size(); ++k) {
      const double language = request.cost(request.tokens[items.sequence[k]]);
      loads_.push_back({items.tiles_of(k), std::llround(language / items.unit), items.tokens[k]});
    }
  }

  // Starts with this many iterations; false when an item finds no room. By slots: every micro-batch of an iteration has
  // the same number of tiles, as far as whole samples allow. By size: samples with most tiles first, each to the
  // micro-batch with the fewest.
  bool start_by_slots(std::uint32_t iterations);
  bool start_by_size(std::uint32_t iterations);
  void improve();
  double ratios() const;  // the sum of DistRatios over the iterations
  Plan plan() const;

 private:
  // A change of one item's place, or of two items' places for each other's.
  struct Change {
    std::uint32_t item = 0;
    std::size_t to = 0;
    std::optional<std::uint32_t> against;
    double gain = 0.0;
  };

  std::size_t replicas() const { return request_.replicas; }
  std::size_t iterations() const { return bins_.size() / replicas(); }
  bool fits(const Load& load) const {
    return load.tokens <= request_.cap && (request_.tile_cap == 0 || load.tiles <= request_.tile_cap);
  }
  void clear(std::uint32_t iterations);
  bool put_by_size(std::vector<std::uint32_t> chosen);
  void put(std::uint32_t item, std::size_t bin);
  void take(std::uint32_t item);
  void apply(const Change& change);
  template <typename Promising, typename Gain>
  Change best_change(std::uint32_t item, Promising promising, Gain gain);
  void group();
  void spread();
  void sharpen();

  const Request& request_;
  const Items& items_;
  MoveBudget budget_;
  std::vector<Load> loads_;          // [items]
  std::vector<MicroBatch> bins_;     // iteration by iteration
  std::vector<std::size_t> bin_of_;  // [items]
};

void TwoPhase::put(std::uint32_t item, std::size_t bin) {
  auto& held = bins_[bin].items;
  held.insert(std::lower_bound(held.begin(), held.end(), item), item);
  bins_[bin].load = bins_[bin].load + loads_[item];
  bin_of_[item] = bin;
}

void TwoPhase::take(std::uint32_t item) {
  MicroBatch& bin = bins_[bin_of_[item]];
  bin.items.erase(std::lower_bound(bin.items.begin(), bin.items.end(), item));
  bin.load = bin.load - loads_[item];
}

void TwoPhase::clear(std::uint32_t iterations) {
  bins_.assign(replicas() * iterations, {});
  bin_of_.assign(items_.size(), 0);
}

bool TwoPhase::start_by_slots(std::uint32_t iterations) {
  clear(iterations);
  TileSlots slots(items_.tiles, replicas(), iterations);
  std::vector<std::int64_t> mean(slots.classes(), 0);  // language work of a sample with that many tiles
  std::vector<std::int64_t> held(slots.classes(), 0);
  for (std::uint32_t item = 0; item < items_.size(); ++item) {
    mean[slots.class_of(items_.tiles[item])] += loads_[item].language;
    ++held[slots.class_of(items_.tiles[item])];
  }
  for (std::size_t c = 0; c < mean.size(); ++c) mean[c] /= held[c];
  std::vector<std::int64_t> expected(bins_.size(), 0);  // language work when open slots get mean samples
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    for (std::size_t c = 0; c < mean.size(); ++c) expected[b] += slots.open(b, c) * mean[c];
  }
  std::vector<std::uint32_t> longest_first(items_.size());
  std::iota(longest_first.begin(), longest_first.end(), 0U);
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return loads_[a].language > loads_[b].language; });
  std::vector<std::uint32_t> without_slot;  // their slots lie in micro-batches that have become too long
  for (const std::uint32_t item : longest_first) {
    const std::size_t c = slots.class_of(items_.tiles[item]);
    std::size_t best = bins_.size();
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      if (slots.open(b, c) == 0 || !fits(bins_[b].load + loads_[item])) continue;
      if (best == bins_.size() || expected[b] < expected[best]) best = b;
    }
    if (best == bins_.size()) {
      without_slot.push_back(item);
      continue;
    }
    put(item, best);
    slots.fill(best, c);
    expected[best] += loads_[item].language - mean[c];
  }
  return put_by_size(without_slot);
}

bool TwoPhase::start_by_size(std::uint32_t iterations) {
  clear(iterations);
  std::vector<std::uint32_t> all(items_.size());
  std::iota(all.begin(), all.end(), 0U);
  return put_by_size(std::move(all));
}

bool TwoPhase::put_by_size(std::vector<std::uint32_t> chosen) {
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(loads_[a].tiles, loads_[a].language) > std::pair(loads_[b].tiles, loads_[b].language);
  });
  for (const std::uint32_t item : chosen) {
    std::size_t best = bins_.size();
    const auto key = [&](std::size_t b) {
      return std::tuple(bins_[b].load.tiles, bins_[b].load.language, bins_[b].items.size());
    };
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      if (fits(bins_[b].load + loads_[item]) && (best == bins_.size() || key(b) < key(best))) best = b;
    }
    if (best == bins_.size()) return false;
    put(item, best);
  }
  return true;
}

// Micro-batches of like load become an iteration.
void TwoPhase::group() {
  std::stable_sort(bins_.begin(), bins_.end(), [](const MicroBatch& a, const MicroBatch& b) {
    return std::pair(a.load.tiles, a.load.language) > std::pair(b.load.tiles, b.load.language);
  });
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    for (const std::uint32_t item : bins_[b].items) bin_of_[item] = b;
  }
}

// The change of this item's place that gains most: gain(altered micro-batch, altered micro-batch), asked only where
// promising(from, to, load that leaves).
template <typename Promising, typename Gain>
TwoPhase::Change TwoPhase::best_change(std::uint32_t item, Promising promising, Gain gain) {
  Change best;
  const std::size_t from = bin_of_[item];
  std::uint64_t asked = 1 + items_.size() / 8;  // passing one over costs about an eighth
  const auto consider = [&](std::size_t to, std::optional<std::uint32_t> against) {
    const Load leaves = against ? loads_[item] - loads_[*against] : loads_[item];
    if (!promising(from, to, leaves)) return;
    ++asked;
    const Load from_load = bins_[from].load - leaves;
    const Load to_load = bins_[to].load + leaves;
    if (!fits(from_load) || !fits(to_load)) return;
    const double gained = gain(Altered{from, from_load}, Altered{to, to_load});
    if (gained > best.gain) best = {item, to, against, gained};
  };
  for (std::size_t to = 0; to < bins_.size(); ++to) {
    if (to == from) continue;
    if (bins_[from].items.size() > 1) consider(to, std::nullopt);
    for (const std::uint32_t against : bins_[to].items) consider(to, against);
  }
  budget_.spend(asked);
  return best;
}

void TwoPhase::apply(const Change& change) {
  const std::size_t from = bin_of_[change.item];
  take(change.item);
  if (change.against) {
    take(*change.against);
    put(*change.against, from);
  }
  put(change.item, change.to);
}

// Pulls every micro-batch towards the mean of its iteration (in whole tiles, upwards), too much counting more than too
// little. Unlike the DistRatio this rewards every step on the way.
void TwoPhase::spread() {
  struct Aim {
    double tiles;
    double language;
  };
  std::vector<Aim> aims;
  for (std::size_t k = 0; k < iterations(); ++k) {
    Load sum;
    for (std::size_t b = k * replicas(); b < (k + 1) * replicas(); ++b) sum = sum + bins_[b].load;
    aims.push_back({std::max(1.0, std::ceil(static_cast<double>(sum.tiles) / static_cast<double>(replicas()))),
                    std::max(1.0, static_cast<double>(sum.language) / static_cast<double>(replicas()))});
  }
  const auto squared = [](double off) { return off > 0.0 ? 3.0 * off * off : off * off; };
  const auto penalty = [&](std::size_t bin, const Load& load) {
    const Aim& aim = aims[bin / replicas()];
    return kTileWeight * squared(static_cast<double>(load.tiles) / aim.tiles - 1.0) +
           squared(static_cast<double>(load.language) / aim.language - 1.0);
  };
  const auto off_tiles = [&](std::size_t bin) {
    return static_cast<double>(bins_[bin].load.tiles) != aims[bin / replicas()].tiles;
  };
  const auto off_language = [&](std::size_t bin) {
    return static_cast<double>(bins_[bin].load.language) - aims[bin / replicas()].language;
  };
  // Only where tiles are wrong may tiles change sides; language work must flow downhill, and not far beyond level.
  const auto promising = [&](std::size_t from, std::size_t to, const Load& leaves) {
    if (leaves.tiles != 0) return off_tiles(from) || off_tiles(to);
    const double wanted = off_language(from) - off_language(to);
    const auto flow = static_cast<double>(leaves.language);
    return flow * wanted > 0.0 && std::abs(flow) < 2.0 * std::abs(wanted);
  };
  const auto gain = [&](const Altered& from, const Altered& to) {
    return penalty(from.bin, bins_[from.bin].load) + penalty(to.bin, bins_[to.bin].load) -
           penalty(from.bin, from.load) - penalty(to.bin, to.load);
  };
  for (bool changed = true; changed && !budget_.exhausted();) {
    changed = false;
    for (std::uint32_t item = 0; item < items_.size() && !budget_.exhausted(); ++item) {
      if (penalty(bin_of_[item], bins_[bin_of_[item]].load) < kNear) continue;
      const Change change = best_change(item, promising, gain);
      if (change.gain <= 1e-12) continue;
      apply(change);
      changed = true;
    }
  }
}

// Lowers the DistRatios themselves by changing the slowest micro-batches of each iteration.
void TwoPhase::sharpen() {
  std::vector<Iteration> state;
  const auto measure = [&](std::size_t k) { return Iteration(bins_, k * replicas(), (k + 1) * replicas()); };
  for (std::size_t k = 0; k < iterations(); ++k) state.push_back(measure(k));
  const auto anything = [](std::size_t, std::size_t, const Load&) { return true; };
  const auto gain = [&](const Altered& from, const Altered& to) {
    const std::size_t a = from.bin / replicas();
    const std::size_t b = to.bin / replicas();
    const std::array<Altered, 2> altered = {from, to};
    const std::array<Load, 2> before = {bins_[from.bin].load, bins_[to.bin].load};
    if (a == b) return state[a].current() - state[a].with(altered, before);
    return state[a].current() - state[a].with(std::span(altered).first(1), std::span(before).first(1)) +
           state[b].current() - state[b].with(std::span(altered).last(1), std::span(before).last(1));
  };
  for (bool changed = true; changed && !budget_.exhausted();) {
    changed = false;
    for (std::size_t k = 0; k < iterations(); ++k) {
      Change best;
      for (const std::size_t bin : state[k].slowest()) {
        for (const std::uint32_t item : bins_[bin].items) {
          const Change change = best_change(item, anything, gain);
          if (change.gain > best.gain) best = change;
        }
      }
      if (best.gain <= 1e-12) continue;
      const std::size_t from = bin_of_[best.item];
      apply(best);
      for (const std::size_t bin : {from, best.to}) state[bin / replicas()] = measure(bin / replicas());
      changed = true;
    }
  }
}

double TwoPhase::ratios() const {
  double sum = 0.0;
  for (std::size_t k = 0; k < iterations(); ++k)
    sum += Iteration(bins_, k * replicas(), (k + 1) * replicas()).current();
  return sum;
}

void TwoPhase::improve() {
  group();
  std::vector<MicroBatch> best = bins_;
  double best_ratios = ratios();
  for (int round = 0; round < kRounds && !budget_.exhausted(); ++round) {
    spread();
    group();
    sharpen();
    if (const double now = ratios(); now < best_ratios) {
      best = bins_;
      best_ratios = now;
    }
    group();
  }
  bins_ = std::move(best);
}

Plan TwoPhase::plan() const {
  Plan plan;
  plan.micro_batch_begin.push_back(0);
  plan.replica_begin.push_back(0);
  for (std::size_t r = 0; r < replicas(); ++r) {
    Work work = 0;
    for (std::size_t k = 0; k < iterations(); ++k) {
      const std::size_t begin = plan.order.size();
      for (const std::uint32_t item : bins_[k * replicas() + r].items) {
        plan.order.push_back(items_.sequence[item]);
        work += items_.work[item];
      }
      std::sort(plan.order.begin() + static_cast<std::ptrdiff_t>(begin), plan.order.end());
      plan.micro_batch_begin.push_back(static_cast<std::uint32_t>(plan.order.size()));
    }
    plan.replica_begin.push_back(plan.micro_batches());
    plan.replica_cost.push_back(static_cast<double>(work) * items_.unit);
  }
  return plan;
}

std::uint32_t least_iterations(const Request& request, const Items& items) {
  std::uint64_t tiles = 0;
  std::uint64_t count = bin_count_bound(items.tokens, request.cap);
  if (request.tile_cap != 0) {
    for (const std::uint32_t t : items.tiles) tiles += t;
    count = std::max(count, div_ceil<std::uint64_t>(tiles, request.tile_cap));
  }
  return narrow<std::uint32_t>(div_ceil<std::uint64_t>(count, request.replicas), "micro-batches of a replica");
}

}  // namespace

Plan two_phase_plan(const Request& request) {
  const Items items = sorted_items(request);
  for (std::uint32_t iterations = least_iterations(request, items);; ++iterations) {
    std::optional<TwoPhase> best;
    for (const auto start : {&TwoPhase::start_by_slots, &TwoPhase::start_by_size}) {
      TwoPhase search(request, items);
      if (!(search.*start)(iterations)) continue;
      search.improve();
      if (!best || search.ratios() < best->ratios()) best.emplace(search);
    }
    if (best) return best->plan();
  }
}

}  // namespace stowage::plan
