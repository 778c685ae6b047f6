// SPDX-License-Identifier: Apache-2.0
#include "loader/crew.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::loader {
namespace {

bool contains(const std::vector<int>& numbers, int number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

// The shadow that takes the place of a rank of `node`, taken out of the list; -1 if there is none.
int take_shadow(std::vector<int>& shadows, int node, const std::vector<int>& node_of) {
  if (shadows.empty()) return -1;
  auto chosen =
      std::ranges::find_if(shadows, [&](int number) { return node_of[static_cast<std::size_t>(number)] == node; });
  if (chosen == shadows.end()) chosen = shadows.begin();
  const int number = *chosen;
  shadows.erase(chosen);
  return number;
}

int least_loaded(const Crew& crew) {
  return *std::ranges::min_element(crew.active, {},
                                   [&](int number) { return std::ranges::count(crew.server, number); });
}

}  // namespace

bool Crew::works(int number) const noexcept {
  return contains(active, number);
}

std::vector<int> Crew::constructors() const {
  std::vector<int> places;
  for (const int number : server) {
    places.push_back(static_cast<int>(std::ranges::find(active, number) - active.begin()));
  }
  return places;
}

Crew first_crew(int loaders, std::uint32_t shadows) {
  if (static_cast<std::uint64_t>(loaders) <= shadows) {
    fail(STOWAGE_CONFIG_ERROR,
         "expected more loader ranks than shadows, found {} loader ranks and shadows: {}; start {} loader ranks or "
         "more, "
         "or lower shadows",
         loaders, shadows, std::uint64_t{shadows} + 1);
  }
  Crew crew;
  crew.active.resize(static_cast<std::size_t>(loaders) - shadows);
  std::iota(crew.active.begin(), crew.active.end(), 0);
  crew.shadows.resize(shadows);
  std::iota(crew.shadows.begin(), crew.shadows.end(), narrow<int>(crew.active.size()));
  return crew;
}

Crew after_loss(const Crew& crew, const std::vector<int>& living, const std::vector<int>& node_of) {
  Crew next = crew;
  next.lost = narrow<std::uint32_t>(node_of.size() - living.size());
  const auto lost = [&](int number) { return !contains(living, number); };
  std::erase_if(next.shadows, lost);
  std::vector<int> given_up;
  for (int& place : next.active) {
    if (!lost(place)) continue;
    const int gone = place;
    const int successor = take_shadow(next.shadows, node_of[static_cast<std::size_t>(gone)], node_of);
    if (successor < 0) {
      given_up.push_back(gone);
      continue;
    }
    place = successor;
    std::ranges::replace(next.server, gone, successor);
  }
  std::erase_if(next.active, [&](int number) { return contains(given_up, number); });
  for (int& server : next.server) {
    if (contains(given_up, server)) server = least_loaded(next);
  }
  return next;
}

}  // namespace stowage::loader
