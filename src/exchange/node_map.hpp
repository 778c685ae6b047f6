// SPDX-License-Identifier: Apache-2.0
// Which ranks of a team share a node, and who speaks for a node to another one. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stowage::exchange {

class NodeMap {
 public:
  // node_of_rank: [ranks], any numbers; ranks of the same number share a node. Must be the same on every rank.
  explicit NodeMap(std::span<const int> node_of_rank);

  // Nodes are numbered from 0 in the order of their lowest ranks, whatever numbers were given.
  std::size_t nodes() const noexcept { return ranks_.size(); }
  std::size_t ranks() const noexcept { return node_of_.size(); }
  std::size_t node_of(std::size_t rank) const noexcept { return node_of_[rank]; }
  std::span<const std::size_t> ranks_of(std::size_t node) const noexcept { return ranks_[node]; }  // ascending

  // Ranks [ranks_of(node).front(), ... .back()] are all of this node.
  bool consecutive(std::size_t node) const noexcept {
    return ranks_[node].back() - ranks_[node].front() + 1 == ranks_[node].size();
  }

  // The other nodes in the order in which `node` turns to them: each node begins with its successor, so that not all
  // turn to the same one.
  std::vector<std::size_t> partners(std::size_t node) const;

  // The rank of `node` through which everything to and from `partner` goes. A node's partners are dealt out to its
  // ranks in turn: no rank has more than one partner above any other. node != partner.
  std::size_t agent(std::size_t node, std::size_t partner) const noexcept;

 private:
  std::vector<std::size_t> node_of_;             // [ranks]
  std::vector<std::vector<std::size_t>> ranks_;  // [nodes]
};

}  // namespace stowage::exchange
