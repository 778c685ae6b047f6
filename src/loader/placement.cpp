// SPDX-License-Identifier: Apache-2.0
#include "loader/placement.hpp"

#include <algorithm>
#include <map>

#include "base/narrow.hpp"

namespace stowage::loader {

Constructors constructors_over(std::uint32_t replicas, int ranks) {
  Constructors constructors(replicas);
  for (std::uint64_t r = 0; r < replicas; ++r) {
    constructors[r] = static_cast<int>(r * static_cast<std::uint64_t>(ranks) / replicas);
  }
  return constructors;
}

Constructors constructors_near(std::span<const int> replica_nodes, std::span<const int> loader_nodes) {
  struct Node {
    std::vector<std::size_t> replicas;
    std::vector<int> ranks;
  };
  std::map<int, Node> nodes;
  for (std::size_t r = 0; r < replica_nodes.size(); ++r) nodes[replica_nodes[r]].replicas.push_back(r);
  for (std::size_t l = 0; l < loader_nodes.size(); ++l) nodes[loader_nodes[l]].ranks.push_back(narrow<int>(l));

  Constructors constructors(replica_nodes.size(), kNobody);
  std::vector<std::uint32_t> load(loader_nodes.size(), 0);
  const auto give = [&](std::size_t replica, int rank) {
    constructors[replica] = rank;
    ++load[static_cast<std::size_t>(rank)];
  };
  for (const auto& [id, node] : nodes) {
    if (node.ranks.empty()) continue;
    const Constructors places =
        constructors_over(narrow<std::uint32_t>(node.replicas.size()), narrow<int>(node.ranks.size()));
    for (std::size_t r = 0; r < places.size(); ++r)
      give(node.replicas[r], node.ranks[static_cast<std::size_t>(places[r])]);
  }
  for (std::size_t r = 0; r < constructors.size(); ++r) {
    if (constructors[r] != kNobody) continue;
    give(r, static_cast<int>(std::ranges::min_element(load) - load.begin()));
  }
  return constructors;
}

}  // namespace stowage::loader
