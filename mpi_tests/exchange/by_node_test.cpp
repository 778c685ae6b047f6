// SPDX-License-Identifier: Apache-2.0
// The exchange by node against the plain one and against the reference that needs no message, on pretended nodes.
#include "exchange/by_node.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <set>

#include "exchange/team.hpp"
#include "support/traffic.hpp"
#include "support/world.hpp"

namespace stowage::exchange {
namespace {

using test::Traffic;
using test::World;

struct Layout {
  std::string name;
  std::vector<int> nodes;  // [ranks]
};

// One node, blocks of ranks and ranks dealt out over 2 and 3 nodes, a node each, and a few at random.
std::vector<Layout> layouts(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<Layout> all{{"one node", std::vector<int>(n, 7)}};
  for (const int nodes : {2, 3}) {
    Layout blocks{std::to_string(nodes) + " blocks", {}};
    Layout dealt{std::to_string(nodes) + " dealt", {}};
    for (int r = 0; r < ranks; ++r) {
      blocks.nodes.push_back(r * nodes / ranks);
      dealt.nodes.push_back(r % nodes);
    }
    all.push_back(blocks);
    all.push_back(dealt);
  }
  Layout own{"a node each", std::vector<int>(n)};
  std::iota(own.nodes.begin(), own.nodes.end(), -1);
  all.push_back(own);
  std::mt19937_64 random(20250301);
  for (int i = 0; i < 2; ++i) {
    Layout mixed{"random " + std::to_string(i), {}};
    for (int r = 0; r < ranks; ++r) mixed.nodes.push_back(static_cast<int>(random() % 4) * 10);
    all.push_back(mixed);
  }
  return all;
}

// What all ranks together sent from node to node.
mpi::Sent crossing_of_all(const World& world, const NodeMap& nodes, const std::vector<mpi::Sent>& sent) {
  std::array<std::uint64_t, 2> sums{};
  for (std::size_t r = 0; r < sent.size(); ++r) {
    if (nodes.node_of(r) == nodes.node_of(static_cast<std::size_t>(world.rank()))) continue;
    sums[0] += sent[r].messages;
    sums[1] += sent[r].bytes;
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_UINT64_T, MPI_SUM, world.get());
  return {sums[0], sums[1]};
}

// What should be sent: the bytes, in one message from each node to each for which it has any.
mpi::Sent crossing_in(const Traffic& traffic, const NodeMap& nodes) {
  std::uint64_t bytes = 0;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t from = 0; from < nodes.ranks(); ++from) {
    for (std::size_t to = 0; to < nodes.ranks(); ++to) {
      const std::uint64_t size = traffic.size(static_cast<int>(from), static_cast<int>(to));
      if (nodes.node_of(from) == nodes.node_of(to) || size == 0) continue;
      bytes += size;
      pairs.emplace(nodes.node_of(from), nodes.node_of(to));
    }
  }
  return {pairs.size(), bytes};
}

class ByNodeInRounds : public testing::TestWithParam<std::size_t> {};

TEST_P(ByNodeInRounds, EqualsThePlainExchangeAndTheReference) {
  const World world;
  const auto plain = make_mpi_team(world.get(), GetParam());
  for (const Layout& layout : layouts(world.size())) {
    const NodeMap nodes(layout.nodes);
    for (const Traffic& traffic : test::awkward_traffic(world.size())) {
      const Bytes send = traffic.sent_by(world.rank());
      const auto send_sizes = traffic.send_sizes(world.rank());
      const auto receive_sizes = traffic.receive_sizes(world.rank());
      const Bytes reference = traffic.received_by(world.rank());
      Bytes expected(reference.size());
      Bytes received(reference.size());

      plain->all_to_all(send, send_sizes, expected, receive_sizes);
      all_to_all_by_node(world.get(), nodes, send, send_sizes, received, receive_sizes, {{}, GetParam()});

      EXPECT_EQ(received, expected) << layout.name << ", " << traffic.name;
      EXPECT_EQ(received, reference) << layout.name << ", " << traffic.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, ByNodeInRounds, testing::Values(100, mpi::kRoundBytes));

TEST(ByNode, OneMessageGoesFromNodeToNodeAndNoneWhereThereIsNothing) {
  const World world;
  for (const Layout& layout : layouts(world.size())) {
    const NodeMap nodes(layout.nodes);
    for (const Traffic& traffic : test::awkward_traffic(world.size())) {
      Bytes received(traffic.received_by(world.rank()).size());
      std::vector<mpi::Sent> sent(nodes.ranks());
      mpi::Rounds rounds;
      rounds.sent = sent;

      all_to_all_by_node(world.get(), nodes, traffic.sent_by(world.rank()), traffic.send_sizes(world.rank()), received,
                         traffic.receive_sizes(world.rank()), rounds);

      const mpi::Sent crossing = crossing_of_all(world, nodes, sent);
      const mpi::Sent expected = crossing_in(traffic, nodes);
      EXPECT_EQ(crossing.messages, expected.messages) << layout.name << ", " << traffic.name;
      EXPECT_EQ(crossing.bytes, expected.bytes) << layout.name << ", " << traffic.name;
    }
  }
}

TEST(ByNode, ATeamThatIsToldOfNodesGivesTheSameInFewerMessagesBetweenThem) {
  const World world;
  if (world.size() < 5) GTEST_SKIP() << "needs nodes of several ranks";
  const std::vector<int> layout = layouts(world.size())[1].nodes;
  const NodeMap nodes(layout);
  const auto plain = make_mpi_team(world.get());
  const auto team = make_mpi_team(world.get());
  team->route_by_node(layout);
  for (const Traffic& traffic : test::awkward_traffic(world.size())) {
    const Bytes expected = traffic.received_by(world.rank());
    for (Team* each : {plain.get(), team.get()}) {
      Bytes received(expected.size());

      each->all_to_all(traffic.sent_by(world.rank()), traffic.send_sizes(world.rank()), received,
                       traffic.receive_sizes(world.rank()));

      EXPECT_EQ(received, expected) << traffic.name;
    }
  }
  const auto crossing = [&](const Team& each) {
    return crossing_of_all(world, nodes, {each.sent().begin(), each.sent().end()});
  };
  EXPECT_LT(crossing(*team).messages, crossing(*plain).messages / 2);
  EXPECT_EQ(crossing(*team).bytes, crossing(*plain).bytes);
}

TEST(ByNode, WaitsForARankThatDoesNotComeAreAbandonedByTheIdleHook) {
  const World world;
  if (world.size() < 3) GTEST_SKIP() << "needs a node of two ranks and another one";
  // Not the world's communicator: what is given up stays under way in it.
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.get(), &comm);
  std::vector<int> nodes(static_cast<std::size_t>(world.size()), 0);
  nodes.back() = 1;
  const NodeMap map(nodes);
  const std::vector<std::uint64_t> sizes(nodes.size(), 1000);
  static Bytes send;  // lives until MPI is finalised, as an abandoned exchange demands
  send.resize(1000 * nodes.size());
  Bytes receive(send.size());
  int looks = 0;
  const auto give_up = [&looks] {
    if (++looks == 50) fail(STOWAGE_PEER_LOST, "rank is gone");
  };
  Status status = STOWAGE_OK;

  if (world.rank() != world.size() - 1) {  // the last rank, a node of its own, stays away
    try {
      all_to_all_by_node(comm, map, send, sizes, receive, sizes, {give_up});
    } catch (const Error& error) {
      status = error.status();
    }
  }

  EXPECT_EQ(status, world.rank() == world.size() - 1 ? STOWAGE_OK : STOWAGE_PEER_LOST);
  world.barrier();
}

}  // namespace
}  // namespace stowage::exchange
