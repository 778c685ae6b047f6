// SPDX-License-Identifier: Apache-2.0
#include "plan/differencing.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace stowage::plan {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A part's items are a chain through `next`, so that joining two parts takes constant time.
struct Part {
  Work load;
  std::uint32_t head;
  std::uint32_t tail;
};

// Parts in descending order of load; those not listed are empty. After settle() the smallest of `parts` loads is 0.
using Partial = std::vector<Part>;

class Differencing {
 public:
  Differencing(std::span<const Work> work, std::uint32_t parts) : parts_(parts), next_(work.size(), kNone) {}

  std::vector<std::uint32_t> chain(const Part& part) const {
    std::vector<std::uint32_t> items;
    for (std::uint32_t i = part.head; i != kNone; i = next_[i]) items.push_back(i);
    return items;
  }

  // Joins `other` into `into`. Position k of one meets position parts-1-k of the other.
  void combine(Partial& into, const Partial& other) {
    const std::size_t first_overlap = parts_ - std::min<std::size_t>(parts_, into.size());
    const std::size_t alone = std::min(other.size(), first_overlap);
    for (std::size_t j = alone; j < other.size(); ++j) join(into[parts_ - 1 - j], other[j]);
    const auto heavier = [](const Part& a, const Part& b) { return a.load > b.load; };
    if (alone < other.size()) std::stable_sort(into.begin(), into.end(), heavier);
    if (alone == 1) {
      into.insert(std::upper_bound(into.begin(), into.end(), other[0], heavier), other[0]);
    } else if (alone > 1) {
      const auto middle = static_cast<std::ptrdiff_t>(into.size());
      into.insert(into.end(), other.begin(), other.begin() + static_cast<std::ptrdiff_t>(alone));
      std::inplace_merge(into.begin(), into.begin() + middle, into.end(), heavier);
    }
    settle(into);
  }

  // Only differences matter from here on, so the smallest load is taken off all.
  void settle(Partial& partial) const {
    if (partial.size() < parts_) return;
    const Work least = partial.back().load;
    for (Part& part : partial) part.load -= least;
  }

 private:
  void join(Part& part, const Part& other) {
    next_[part.tail] = other.head;
    part.tail = other.tail;
    part.load += other.load;
  }

  std::size_t parts_;
  std::vector<std::uint32_t> next_;
};

std::vector<Partial> first_partials(const Differencing& method, std::span<const Work> work, std::uint32_t parts,
                                    Counts counts) {
  const std::size_t group = counts == Counts::equal ? parts : 1;
  std::vector<Partial> partials;
  for (std::size_t begin = 0; begin < work.size(); begin += group) {
    Partial partial;
    for (std::size_t i = begin; i < std::min(begin + group, work.size()); ++i) {
      partial.push_back({work[i], static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)});
    }
    method.settle(partial);
    partials.push_back(std::move(partial));
  }
  return partials;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> karmarkar_karp(std::span<const Work> work, std::uint32_t parts, Counts counts) {
  std::vector<std::vector<std::uint32_t>> result(parts);
  if (work.empty()) return result;
  Differencing method(work, parts);
  std::vector<Partial> partials = first_partials(method, work, parts, counts);
  // Largest difference first, then the lower number.
  using Entry = std::pair<Work, std::uint32_t>;
  const auto later = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(later)> queue(later);
  for (std::uint32_t k = 0; k < partials.size(); ++k) queue.emplace(partials[k].front().load, k);
  while (queue.size() > 1) {
    const std::uint32_t into = queue.top().second;
    queue.pop();
    const std::uint32_t other = queue.top().second;
    queue.pop();
    // Joining is symmetric; growing the longer one moves less memory.
    if (partials[into].size() < partials[other].size()) std::swap(partials[into], partials[other]);
    method.combine(partials[into], partials[other]);
    partials[other] = Partial();
    queue.emplace(partials[into].front().load, into);
  }
  const Partial& last = partials[queue.top().second];
  for (std::size_t p = 0; p < last.size(); ++p) result[p] = method.chain(last[p]);
  return result;
}

Work difference_pair(std::span<const Work> work, std::vector<std::uint8_t>& side) {
  side.assign(work.size(), 0);
  if (work.empty()) return 0;
  // Combining a and b (a >= b) says: they lie on opposite sides, and a stands for the difference.
  using Entry = std::pair<Work, std::uint32_t>;
  const auto later = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::vector<Entry> heap;
  heap.reserve(work.size());
  for (std::uint32_t i = 0; i < work.size(); ++i) heap.emplace_back(work[i], i);  // descending order is a heap
  std::vector<std::pair<std::uint32_t, std::uint32_t>> opposed;
  opposed.reserve(work.size());
  while (heap.size() > 1) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Entry larger = heap.back();
    heap.pop_back();
    std::pop_heap(heap.begin(), heap.end(), later);
    const Entry smaller = heap.back();
    opposed.emplace_back(larger.second, smaller.second);
    heap.back() = {larger.first - smaller.first, larger.second};
    std::push_heap(heap.begin(), heap.end(), later);
  }
  for (auto pair = opposed.rbegin(); pair != opposed.rend(); ++pair) side[pair->second] = side[pair->first] ^ 1U;
  return heap.front().first;
}

}  // namespace stowage::plan
