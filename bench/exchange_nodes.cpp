// SPDX-License-Identifier: Apache-2.0
// Team::all_to_all by node against the plain one: time, and what travels between nodes.
//
//   srun -N 4 -n 16 bench_exchange_nodes --json nodes.json && bench/compare nodes.json
//   mpirun -n 8 bench_exchange_nodes --pretend 4         on one host: the same messages, but no network
#include <mpi.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "base/narrow.hpp"
#include "base/text.hpp"
#include "bench/support/bench_main.hpp"
#include "bench/support/measure.hpp"
#include "exchange/node_map.hpp"
#include "exchange/team.hpp"
#include "mpi/nodes.hpp"

namespace stowage::bench {
namespace {

struct Options {
  std::string json;
  int pretend = 0;                                 // nodes; 0: the real ones
  std::uint64_t largest = std::uint64_t{1} << 20;  // bytes of a sequence
  std::uint64_t sequences = 16;                    // a rank
  Repetitions repetitions{2, 9};
};

// Every rank has read `each` sequences of `bytes` bytes, and every one goes to a rank drawn at random.
struct Traffic {
  std::vector<std::uint64_t> send_sizes, receive_sizes;
  Bytes send, receive;
  std::uint64_t total = 0;

  Traffic(std::uint64_t bytes, std::uint64_t each, int ranks, int rank) {
    const auto n = static_cast<std::size_t>(ranks);
    const auto me = static_cast<std::size_t>(rank);
    send_sizes.resize(n);
    receive_sizes.resize(n);
    std::mt19937_64 random(1);
    for (std::size_t from = 0; from < n; ++from) {
      for (std::uint64_t s = 0; s < each; ++s) {
        const std::size_t to = random() % n;
        if (from == me) send_sizes[to] += bytes;
        if (to == me) receive_sizes[from] += bytes;
        total += bytes;
      }
    }
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (std::size_t r = 0; r < n; ++r) {
      sent += send_sizes[r];
      received += receive_sizes[r];
    }
    send.resize(sent, std::byte{1});
    receive.resize(received);
  }
};

// Messages and bytes of one exchange over all ranks: from node to node, and inside nodes.
nlohmann::json count(exchange::Team& team, const exchange::NodeMap& nodes, Traffic& traffic) {
  const std::vector<mpi::Sent> before(team.sent().begin(), team.sent().end());
  team.all_to_all(traffic.send, traffic.send_sizes, traffic.receive, traffic.receive_sizes);
  std::array<std::uint64_t, 4> sums{};
  const std::size_t mine = nodes.node_of(static_cast<std::size_t>(team.rank()));
  for (std::size_t r = 0; r < before.size(); ++r) {
    const std::size_t at = nodes.node_of(r) == mine ? 2 : 0;
    sums[at] += team.sent()[r].messages - before[r].messages;
    sums[at + 1] += team.sent()[r].bytes - before[r].bytes;
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return {{"messages between nodes", sums[0]},
          {"bytes between nodes", sums[1]},
          {"messages inside nodes", sums[2]},
          {"bytes inside nodes", sums[3]}};
}

std::vector<int> nodes_of_the_run(const Options& options, int ranks) {
  if (options.pretend == 0) return mpi::nodes_of_ranks(MPI_COMM_WORLD);
  std::vector<int> nodes;
  for (int r = 0; r < ranks; ++r) nodes.push_back(r * options.pretend / ranks);
  return nodes;
}

void bench_nodes(const Options& options) {
  std::array<MPI_Comm, 2> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto plain = exchange::make_mpi_team(comms[0]);
  const auto by_node = exchange::make_mpi_team(comms[1]);
  const std::vector<int> layout = nodes_of_the_run(options, plain->size());
  const exchange::NodeMap nodes(layout);
  by_node->route_by_node(layout);

  nlohmann::json results = nlohmann::json::array();
  for (std::uint64_t bytes = 1024; bytes <= options.largest; bytes *= 8) {
    Traffic traffic(bytes, options.sequences, plain->size(), plain->rank());
    const auto exchange = [&traffic](exchange::Team& team) {
      return [&traffic, &team] {
        team.all_to_all(traffic.send, traffic.send_sizes, traffic.receive, traffic.receive_sizes);
      };
    };
    const auto calls = static_cast<int>(std::clamp<std::uint64_t>((std::uint64_t{8} << 20) / traffic.total, 1, 50));
    nlohmann::json result = compare(MPI_COMM_WORLD, human_bytes(bytes) + " a sequence", traffic.total,
                                    {{"by node", true, exchange(*by_node)}, {"plain", false, exchange(*plain)}},
                                    options.repetitions, calls);
    result["candidates"][0]["counts"] = count(*by_node, nodes, traffic);
    result["candidates"][1]["counts"] = count(*plain, nodes, traffic);
    results.push_back(result);
  }
  write_report(MPI_COMM_WORLD, "exchange between " + std::to_string(nodes.nodes()) + " nodes", results, options.json);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  using namespace stowage::bench;
  Options options;
  CLI::App app("Compares the exchange by node with the plain one");
  app.add_option("--json", options.json, "write the report here instead of to standard output");
  app.add_option("--pretend", options.pretend, "nodes to divide the ranks among; 0: the real ones")
      ->capture_default_str();
  app.add_option("--largest", options.largest, "bytes of a sequence in the largest case")->capture_default_str();
  app.add_option("--sequences", options.sequences, "that each rank reads")->capture_default_str();
  app.add_option("--repetitions", options.repetitions.measured, "measured runs a candidate")->capture_default_str();
  app.add_option("--warm-up", options.repetitions.warm_up, "runs before them")->capture_default_str();
  return run(app, argc, argv, [&] { bench_nodes(options); });
}
