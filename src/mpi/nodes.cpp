// SPDX-License-Identifier: Apache-2.0
#include "mpi/nodes.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "base/hash.hpp"
#include "mpi/check.hpp"
#include "mpi/rounds.hpp"

namespace stowage::mpi {
namespace {

// The same for all ranks of a node. Names alone may be the same on machines that nobody named.
Digest node_here() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return Hasher()
      .add_array(std::span<const char>(name.data(), static_cast<std::size_t>(length)))
      .add_array(std::span<const char>(boot))
      .digest();
}

}  // namespace

std::vector<int> nodes_of_ranks(const Group& group, const Idle& idle) {
  const std::vector<Digest> node_of = all_gather(group, node_here(), Rounds{idle});
  std::vector<int> nodes(node_of.size());
  int next = 0;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    const auto first = static_cast<std::size_t>(std::ranges::find(node_of, node_of[r]) - node_of.begin());
    nodes[r] = first == r ? next++ : nodes[first];
  }
  return nodes;
}

}  // namespace stowage::mpi
