// SPDX-License-Identifier: Apache-2.0
// Which loader rank constructs which replica's data. The stream never depends on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stowage::loader {

// Which rank of the team constructs each replica's data; kNobody where it is not wanted at all.
inline constexpr int kNobody = -1;
using Constructors = std::vector<int>;  // [replicas]

// Replicas in equal runs over the ranks.
Constructors constructors_over(std::uint32_t replicas, int ranks);

// Where trainers and loaders share nodes. replica_nodes [replicas]: the node of each replica's (first) trainer;
// loader_nodes [ranks]: of each rank of the team. A replica goes to a rank of its node, the replicas of a node in equal
// runs over its ranks; those without a rank on their node go, in order, each to a rank that has the fewest. Pure.
Constructors constructors_near(std::span<const int> replica_nodes, std::span<const int> loader_nodes);

}  // namespace stowage::loader
