// SPDX-License-Identifier: Apache-2.0
// What a step costs the loader ranks in messages and bytes: the real pipeline (draw, describe, plan, read, exchange,
// construct) on as many ranks as fit, divided among pretended nodes, every message counted.
//
//   mpirun -n 16 bench_scaling_steps --json steps16.json
//
// Messages are counted by the code that sends them, but for agreements: there the operations are counted.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <bit>
#include <filesystem>
#include <fstream>

#include "base/narrow.hpp"
#include "bench/scaling/counting_team.hpp"
#include "bench/support/bench_main.hpp"
#include "bench/support/made_up_source.hpp"
#include "bench/support/measure.hpp"
#include "exchange/node_map.hpp"
#include "loader/pipeline.hpp"
#include "loader/shared_config.hpp"

namespace stowage::bench {
namespace {

struct Options {
  std::string json;
  std::string folder = "bench_scaling_data";
  int loaders_a_node = 4;
  std::uint32_t replicas_a_loader = 2;
  std::uint64_t sequences_a_replica = 16;
  std::uint64_t steps = 5;
};

constexpr int kSources = 8;

std::string write_data(const Options& options, int rank, int ranks) {
  const std::string config = fmt::format("{}/{}.yaml", options.folder, ranks);
  if (rank == 0) {
    std::filesystem::create_directories(options.folder);
    const std::uint32_t replicas = options.replicas_a_loader * narrow<std::uint32_t>(ranks);
    std::ofstream yaml(config);
    yaml << fmt::format(
        "data_parallel: {}\nsteps: 1000000\nbatch: {{sequences: {}}}\nmicro_batch: {{tokens: 16384}}\nsources:\n",
        replicas, options.sequences_a_replica * replicas);
    for (int s = 0; s < kSources; ++s) {
      write_source(fmt::format("{}/s{}", options.folder, s), false, 4000, 250);
      yaml << fmt::format("  - {{name: s{0}, format: megatron, path: s{0}, weight: {1}}}\n", s, s + 1);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return config;
}

// What one rank has sent and received so far.
struct Tally {
  std::uint64_t between = 0;  // messages of the exchange from node to node
  std::uint64_t between_bytes = 0;
  std::uint64_t inside = 0;
  std::uint64_t inside_bytes = 0;
  std::uint64_t descriptor_bytes = 0;
  std::uint64_t gathering_messages = 0;
  std::uint64_t agreements = 0;
};
constexpr std::size_t kTallies = sizeof(Tally) / sizeof(std::uint64_t);

Tally tally(const CountingTeam& team, const exchange::NodeMap& nodes) {
  Tally now;
  const std::size_t mine = nodes.node_of(static_cast<std::size_t>(team.rank()));
  for (std::size_t r = 0; r < nodes.ranks(); ++r) {
    const mpi::Sent& sent = team.sent()[r];
    (nodes.node_of(r) == mine ? now.inside : now.between) += sent.messages;
    (nodes.node_of(r) == mine ? now.inside_bytes : now.between_bytes) += sent.bytes;
  }
  now.descriptor_bytes = team.counts().gathered_bytes;
  now.gathering_messages = team.counts().gathering_messages;
  now.agreements = team.counts().agreements;
  return now;
}

// Runs steps and gives the mean of a rank and step.
nlohmann::json run(const Options& options, const std::string& path, const std::vector<int>& layout, bool by_node) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CountingTeam team(exchange::make_mpi_team(comm));
  if (by_node) team.route_by_node(layout);
  const exchange::NodeMap nodes(layout);
  const config::Config config = loader::share_config(path, team);
  const loader::Catalogue catalogue = loader::Catalogue::open_or_throw(config, team);
  loader::Pipeline pipeline(config, catalogue, team, loader::constructors_over(config.data_parallel, team.size()),
                            loader::from_heap, loader::beginning(config, catalogue));
  pipeline.next(false, 0);  // files are opened

  const Tally before = tally(team, nodes);
  const double began = MPI_Wtime();
  for (std::uint64_t step = 0; step < options.steps; ++step) pipeline.next(false, 0);
  const double seconds = MPI_Wtime() - began;
  const Tally after = tally(team, nodes);
  MPI_Comm_free(&comm);

  const auto words_of = [](const Tally& t) { return std::bit_cast<std::array<std::uint64_t, kTallies>>(t); };
  auto sums = words_of(after);
  for (std::size_t i = 0; i < kTallies; ++i) sums[i] -= words_of(before)[i];
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), narrow<int>(sums.size()), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const Tally all = std::bit_cast<Tally>(sums);
  const double runs = static_cast<double>(options.steps) * team.size();
  const auto mean = [runs](std::uint64_t sum) { return static_cast<double>(sum) / runs; };
  return {{"way", by_node ? "by node" : "plain"},
          {"ranks", team.size()},
          {"nodes", nodes.nodes()},
          {"replicas", config.data_parallel},
          {"sequences", config.batch.sequences},
          {"step_ms", seconds / static_cast<double>(options.steps) * 1e3},
          {"messages_between", mean(all.between)},
          {"bytes_between", mean(all.between_bytes)},
          {"messages_inside", mean(all.inside)},
          {"bytes_inside", mean(all.inside_bytes)},
          {"descriptor_bytes", mean(all.descriptor_bytes)},
          {"messages_gathering", mean(all.gathering_messages)},
          {"agreements", mean(all.agreements)}};
}

void bench_steps(const Options& options) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string config = write_data(options, rank, ranks);
  std::vector<int> layout;
  for (int r = 0; r < ranks; ++r) layout.push_back(r / options.loaders_a_node);

  nlohmann::json results = nlohmann::json::array();
  for (const bool by_node : {false, true}) results.push_back(run(options, config, layout, by_node));
  write_report(MPI_COMM_WORLD, "scaling of steps", results, options.json);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  using namespace stowage::bench;
  Options options;
  CLI::App app("Counts the messages and bytes of steps on ranks that are divided among pretended nodes");
  app.add_option("--json", options.json, "write the report here instead of to standard output");
  app.add_option("--folder", options.folder, "where the data is made")->capture_default_str();
  app.add_option("--loaders-a-node", options.loaders_a_node, "ranks of a pretended node")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", options.steps, "counted steps a way")->check(CLI::PositiveNumber)->capture_default_str();
  return run(app, argc, argv, [&] { bench_steps(options); });
}
