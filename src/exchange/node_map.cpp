// SPDX-License-Identifier: Apache-2.0
#include "exchange/node_map.hpp"

#include <map>

namespace stowage::exchange {

NodeMap::NodeMap(std::span<const int> node_of_rank) {
  std::map<int, std::size_t> number_of;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const std::size_t node = number_of.try_emplace(node_of_rank[rank], number_of.size()).first->second;
    if (node == ranks_.size()) ranks_.emplace_back();
    ranks_[node].push_back(rank);
    node_of_.push_back(node);
  }
}

std::vector<std::size_t> NodeMap::partners(std::size_t node) const {
  std::vector<std::size_t> others;
  for (std::size_t step = 1; step < nodes(); ++step) others.push_back((node + step) % nodes());
  return others;
}

std::size_t NodeMap::agent(std::size_t node, std::size_t partner) const noexcept {
  const std::size_t step = (partner + nodes() - node) % nodes();
  return ranks_[node][(step - 1) % ranks_[node].size()];
}

}  // namespace stowage::exchange
