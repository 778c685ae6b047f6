// SPDX-License-Identifier: Apache-2.0
#include "plan/locality.hpp"

#include <algorithm>
#include <tuple>

namespace stowage::plan {

namespace {

constexpr int kPasses = 8;

class Matching {
 public:
  Matching(const Request& request, const Items& items, Bins& bins)
      : request_(request), items_(items), bins_(bins), longest_(makespan(bins)) {
    for (const std::uint32_t node : request.places.node_of_sequence)
      nodes_ = std::max<std::size_t>(nodes_, node + std::size_t{1});
    for (const std::uint32_t node : request.places.node_of_replica)
      nodes_ = std::max<std::size_t>(nodes_, node + std::size_t{1});
  }

  // Bins to replicas: the bin and node that have most in common first, then exchanges of two.
  void match_bins() {
    std::vector<std::vector<std::uint64_t>> local(bins_.size(), std::vector<std::uint64_t>(nodes_, 0));
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      for (const std::uint32_t item : bins_[b].items) local[b][home(item)] += items_.tokens[item];
    }
    std::vector<std::tuple<std::uint64_t, std::size_t, std::size_t>> common;  // descending tokens, bin, node
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      for (std::size_t node = 0; node < nodes_; ++node) common.emplace_back(~local[b][node], b, node);
    }
    std::sort(common.begin(), common.end());
    std::vector<std::size_t> bin_at(bins_.size(), bins_.size());  // by replica
    std::vector<bool> placed(bins_.size(), false);
    for (const auto& [key, bin, node] : common) {
      if (placed[bin]) continue;
      for (std::size_t r = 0; r < bins_.size(); ++r) {
        if (bin_at[r] != bins_.size() || node_of(r) != node || bins_[r].shape != bins_[bin].shape) continue;
        bin_at[r] = bin;
        placed[bin] = true;
        break;
      }
    }
    const auto gain = [&](std::size_t r, std::size_t q) {
      return static_cast<std::int64_t>(local[bin_at[r]][node_of(q)] + local[bin_at[q]][node_of(r)]) -
             static_cast<std::int64_t>(local[bin_at[r]][node_of(r)] + local[bin_at[q]][node_of(q)]);
    };
    bool changed = true;
    for (int pass = 0; changed && pass < kPasses; ++pass) {
      changed = false;
      for (std::size_t r = 0; r < bins_.size(); ++r) {
        for (std::size_t q = r + 1; q < bins_.size(); ++q) {
          if (bins_[bin_at[r]].shape != bins_[bin_at[q]].shape || gain(r, q) <= 0) continue;
          std::swap(bin_at[r], bin_at[q]);
          changed = true;
        }
      }
    }
    Bins matched;
    for (const std::size_t bin : bin_at) matched.push_back(std::move(bins_[bin]));
    bins_ = std::move(matched);
  }

  // Items that lie elsewhere change places with items of bins at their home.
  void exchange_items() {
    std::vector<std::vector<std::size_t>> at_node(nodes_);
    for (std::size_t r = 0; r < bins_.size(); ++r) at_node[node_of(r)].push_back(r);
    bool changed = true;
    for (int pass = 0; changed && pass < kPasses; ++pass) {
      changed = false;
      for (std::size_t r = 0; r < bins_.size(); ++r) {
        for (std::size_t k = 0; k < bins_[r].items.size(); ++k) {
          const std::uint32_t item = bins_[r].items[k];
          if (home(item) == node_of(r)) continue;
          for (const std::size_t q : at_node[home(item)]) {
            if (!exchange(r, k, q)) continue;
            changed = true;
            break;
          }
        }
      }
    }
  }

 private:
  std::size_t home(std::uint32_t item) const { return request_.places.node_of_sequence[items_.sequence[item]]; }
  std::size_t node_of(std::size_t replica) const { return request_.places.node_of_replica[replica]; }

  bool exchange(std::size_t r, std::size_t k, std::size_t q) {
    Bin& from = bins_[r];
    Bin& to = bins_[q];
    const std::uint32_t item = from.items[k];
    std::size_t best = to.items.size();
    std::int64_t best_saved = 0;
    for (std::size_t j = 0; j < to.items.size(); ++j) {
      const std::uint32_t other = to.items[j];
      // What `item` saves, and what `other` costs or saves.
      const std::int64_t tokens = items_.tokens[other];
      const std::int64_t saved = std::int64_t{items_.tokens[item]} - (home(other) == node_of(q) ? tokens : 0) +
                                 (home(other) == node_of(r) ? tokens : 0);
      if (saved <= best_saved || !stays_inside(from, item, other) || !stays_inside(to, other, item)) continue;
      best = j;
      best_saved = saved;
    }
    if (best == to.items.size()) return false;
    const std::uint32_t other = to.items[best];
    replace(from, k, other);
    replace(to, best, item);
    return true;
  }

  bool stays_inside(const Bin& bin, std::uint32_t leaves, std::uint32_t comes) const {
    return bin.time_with(items_.work[comes] - items_.work[leaves]) <= longest_ &&
           bin.tokens - items_.tokens[leaves] + items_.tokens[comes] <= bin.shape.tokens &&
           bin.tiles - items_.tiles_of(leaves) + items_.tiles_of(comes) <= bin.shape.tiles &&
           items_.tokens[comes] <= bin.shape.longest;
  }

  void replace(Bin& bin, std::size_t k, std::uint32_t comes) const {
    const std::uint32_t leaves = bin.items[k];
    bin.load += items_.work[comes] - items_.work[leaves];
    bin.tokens += std::uint64_t{items_.tokens[comes]} - items_.tokens[leaves];
    bin.tiles += std::uint64_t{items_.tiles_of(comes)} - items_.tiles_of(leaves);
    bin.items[k] = comes;
  }

  const Request& request_;
  const Items& items_;
  Bins& bins_;
  double longest_;
  std::size_t nodes_ = 0;
};

}  // namespace

std::uint64_t tokens_between_nodes(const Request& request, const Plan& plan) {
  std::uint64_t tokens = 0;
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    for (std::uint32_t m = plan.replica_begin[r]; m < plan.replica_begin[r + 1]; ++m) {
      for (const std::uint32_t i : plan.sequences(m)) {
        if (request.places.node_of_sequence[i] != request.places.node_of_replica[r]) tokens += request.tokens[i];
      }
    }
  }
  return tokens;
}

void match_places(const Request& request, const Items& items, Bins& bins) {
  Matching matching(request, items, bins);
  matching.match_bins();
  matching.exchange_items();
  for (Bin& bin : bins) std::sort(bin.items.begin(), bin.items.end());
}

}  // namespace stowage::plan
