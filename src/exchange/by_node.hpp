// SPDX-License-Identifier: Apache-2.0
// The personalised exchange with what goes from one node to another in one message.
//
// Inside a node parts go straight to their receivers. For each other node a rank of the node is the agent
// (NodeMap::agent): the others tell it the sizes of what they send there and expect from there and hand it their parts;
// it sends them on as one message to the agent of that node, which deals them out. Nothing is sent where there is
// nothing to send. So there are at most nodes * (nodes - 1) messages between nodes instead of one a pair of ranks, and
// what crosses nodes is copied up to four times more inside nodes.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "exchange/node_map.hpp"
#include "mpi/rounds.hpp"

namespace stowage::exchange {

// As mpi::all_to_all, with the same result: collective over the group, polls, can be abandoned. A message longer than
// rounds.round_bytes goes in several. An agent holds in memory what crosses between its node and its partners, each way
// once, and its node's share of the latter once more.
void all_to_all_by_node(const mpi::Group& group, const NodeMap& nodes, ByteView send,
                        std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                        std::span<const std::uint64_t> receive_sizes, const mpi::Rounds& rounds);

}  // namespace stowage::exchange
