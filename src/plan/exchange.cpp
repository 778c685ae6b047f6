// SPDX-License-Identifier: Apache-2.0
#include "plan/exchange.hpp"

#include <algorithm>

namespace stowage::plan {

namespace {

constexpr std::ptrdiff_t kNeighbours = 2;
constexpr std::uint64_t kSortingMoves = 4;  // subsets must be sorted first

bool heavier(const Parcel& a, const Parcel& b) {
  return a.work > b.work;
}

Parcel together(const Parcel& some, const Parcel& one) {
  Parcel result = some;
  result.work += one.work;
  result.tokens += one.tokens;
  result.tiles += one.tiles;
  result.longest = std::max(result.longest, one.longest);
  result.items[result.count++] = one.items[0];
  return result;
}

bool fits(const Bin& bin, const Parcel& leaves, const Parcel& comes) {
  return bin.tokens - leaves.tokens + comes.tokens <= bin.shape.tokens &&
         bin.tiles - leaves.tiles + comes.tiles <= bin.shape.tiles && comes.longest <= bin.shape.longest;
}

// The work that has to change sides for both bins to end together.
Work wanted_difference(const Bin& slow, const Bin& fast) {
  const double share = slow.shape.speed / (slow.shape.speed + fast.shape.speed);
  return slow.load - static_cast<Work>(static_cast<double>(slow.load + fast.load) * share);
}

// visit(i, j) for the pairs of two descending lists whose difference out(i) - in(j) lies next to `wanted`; in time
// linear in both. A few neighbours with smaller differences are visited too, for the case that the nearest does not
// fit.
template <typename Out, typename In, typename Visit>
void for_nearest(Work wanted, Out out, std::ptrdiff_t out_count, In in, std::ptrdiff_t in_count, Visit visit) {
  std::ptrdiff_t j = 0;
  for (std::ptrdiff_t i = 0; i < out_count; ++i) {
    while (j < in_count - 1 && out(i) - in(j) < wanted) ++j;
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(j - kNeighbours, 0); k <= j; ++k) visit(i, k);
  }
}

void replace(Bin& bin, const Parcel& leaves, const Parcel& comes) {
  for (std::uint8_t k = 0; k < leaves.count; ++k) {
    bin.items.erase(std::lower_bound(bin.items.begin(), bin.items.end(), leaves.items[k]));
  }
  for (std::uint8_t k = 0; k < comes.count; ++k) {
    bin.items.insert(std::lower_bound(bin.items.begin(), bin.items.end(), comes.items[k]), comes.items[k]);
  }
  bin.load += comes.work - leaves.work;
  bin.tokens += comes.tokens - leaves.tokens;
  bin.tiles += comes.tiles - leaves.tiles;
}

}  // namespace

Parcel ExchangeSearch::parcel(std::uint32_t item) const {
  const std::uint32_t tokens = items_.tokens[item];
  return {items_.work[item], tokens, items_.tiles_of(item), tokens, {item, 0, 0}, 1};
}

void ExchangeSearch::subsets(const Bin& bin, std::vector<Parcel>& parcels) const {
  const std::size_t taken = std::min(bin.items.size(), kPairedItems);
  const auto chosen = [&](std::size_t k) { return parcel(bin.items[k * bin.items.size() / taken]); };
  parcels.clear();
  parcels.emplace_back();
  for (std::size_t a = 0; a < taken; ++a) {
    const Parcel one = chosen(a);
    parcels.push_back(one);
    for (std::size_t b = a + 1; b < taken; ++b) {
      const Parcel two = together(one, chosen(b));
      parcels.push_back(two);
      for (std::size_t c = b + 1; c < taken && taken <= kTripledItems; ++c) parcels.push_back(together(two, chosen(c)));
    }
  }
  std::stable_sort(parcels.begin(), parcels.end(), heavier);
}

void ExchangeSearch::consider(const Bin& slow, const Bin& fast, const Parcel& out, const Parcel& in,
                              Exchange& best) const {
  const Work difference = out.work - in.work;
  const double time = std::max(slow.time_with(-difference), fast.time_with(difference));
  if (time >= best.time || !fits(fast, in, out) || !fits(slow, out, in)) return;
  if (keep_filled_ && slow.items.size() - out.count + in.count == 0) return;
  best = {out, in, time, true};
}

Exchange ExchangeSearch::single(const Bin& slow, const Bin& fast, MoveBudget& budget) {
  Exchange best;
  best.time = slow.time();
  const auto out = [&](std::ptrdiff_t k) { return items_.work[slow.items[static_cast<std::size_t>(k)]]; };
  const auto in_count = static_cast<std::ptrdiff_t>(fast.items.size());
  const auto in = [&](std::ptrdiff_t k) {
    return k < in_count ? items_.work[fast.items[static_cast<std::size_t>(k)]] : 0;
  };
  for_nearest(wanted_difference(slow, fast), out, static_cast<std::ptrdiff_t>(slow.items.size()), in, in_count + 1,
              [&](std::ptrdiff_t i, std::ptrdiff_t j) {
                const Work difference = out(i) - in(j);
                if (std::max(slow.time_with(-difference), fast.time_with(difference)) >= best.time) return;
                consider(slow, fast, parcel(slow.items[static_cast<std::size_t>(i)]),
                         j < in_count ? parcel(fast.items[static_cast<std::size_t>(j)]) : Parcel{}, best);
              });
  budget.spend(slow.items.size() + fast.items.size());
  return best;
}

Exchange ExchangeSearch::several(const Bin& slow, const Bin& fast, MoveBudget& budget) {
  subsets(slow, out_);
  subsets(fast, in_);
  Exchange best;
  best.time = slow.time();
  const auto out = [&](std::ptrdiff_t k) { return out_[static_cast<std::size_t>(k)].work; };
  const auto in = [&](std::ptrdiff_t k) { return in_[static_cast<std::size_t>(k)].work; };
  for_nearest(wanted_difference(slow, fast), out, static_cast<std::ptrdiff_t>(out_.size()), in,
              static_cast<std::ptrdiff_t>(in_.size()), [&](std::ptrdiff_t i, std::ptrdiff_t j) {
                consider(slow, fast, out_[static_cast<std::size_t>(i)], in_[static_cast<std::size_t>(j)], best);
              });
  budget.spend(kSortingMoves * (out_.size() + in_.size()));
  return best;
}

void ExchangeSearch::apply(const Exchange& exchange, Bin& slow, Bin& fast) const {
  replace(slow, exchange.out, exchange.in);
  replace(fast, exchange.in, exchange.out);
}

}  // namespace stowage::plan
