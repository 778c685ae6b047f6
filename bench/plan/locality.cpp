// SPDX-License-Identifier: Apache-2.0
// Tokens that cross nodes with and without matching, at unchanged makespan. Sequence i lies on a node that depends on
// its source; every replica belongs to a loader, and loaders are spread over nodes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/plan/lengths.hpp"
#include "plan/locality.hpp"
#include "plan/plan.hpp"

int main(int argc, char** argv) {
  using namespace stowage;
  CLI::App app{"Tokens between nodes, matched and not"};
  std::string file;
  std::vector<std::size_t> columns = {1, 2};
  std::uint32_t nodes = 4;
  std::uint32_t loaders = 8;
  std::uint32_t replicas = 64;
  std::uint32_t sequences = 2048;
  std::uint32_t cap = 16384;
  std::uint32_t steps = 20;
  app.add_option("--lengths", file, "CSV file (default: made-up lengths)");
  app.add_option("--columns", columns, "numbers of the columns to add, from 0")->delimiter(',');
  app.add_option("--nodes", nodes)->capture_default_str();
  app.add_option("--loaders", loaders)->capture_default_str();
  app.add_option("--replicas", replicas)->capture_default_str();
  app.add_option("--sequences", sequences, "a step")->capture_default_str();
  app.add_option("--steps", steps)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return bench::guarded([&] {
    const auto table = file.empty() ? bench::made_up_lengths(20'000, cap, 1) : bench::read_lengths(file, columns);
    std::mt19937_64 random(1);
    std::uint64_t tokens = 0;
    std::uint64_t unmatched_tokens = 0;
    std::uint64_t matched_tokens = 0;
    double worst = 0.0;
    for (std::uint32_t step = 0; step < steps; ++step) {
      std::vector<std::uint32_t> lengths;
      std::vector<std::uint32_t> node_of_sequence;
      for (std::uint32_t k = 0; k < sequences; ++k) {
        lengths.push_back(std::min(cap, table[random() % table.size()]));
        node_of_sequence.push_back(static_cast<std::uint32_t>(random() % nodes));
      }
      std::vector<std::uint32_t> node_of_replica;
      for (std::uint32_t r = 0; r < replicas; ++r) node_of_replica.push_back(r * loaders / replicas * nodes / loaders);
      plan::Request request;
      request.tokens = lengths;
      request.replicas = replicas;
      request.cap = cap;
      const plan::Plan unmatched = plan::make_plan(request);
      request.places = {node_of_sequence, node_of_replica};
      const plan::Plan matched = plan::make_plan(request);
      tokens += std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
      unmatched_tokens += plan::tokens_between_nodes(request, unmatched);
      matched_tokens += plan::tokens_between_nodes(request, matched);
      worst = std::max(worst, *std::max_element(matched.replica_cost.begin(), matched.replica_cost.end()) /
                                  *std::max_element(unmatched.replica_cost.begin(), unmatched.replica_cost.end()));
    }
    const nlohmann::ordered_json report = {
        {"bench", "locality"},
        {"nodes", nodes},
        {"loaders", loaders},
        {"replicas", replicas},
        {"sequences", sequences},
        {"tokens", tokens},
        {"tokens_between_nodes_unmatched", unmatched_tokens},
        {"tokens_between_nodes_matched", matched_tokens},
        {"saved_share", 1.0 - static_cast<double>(matched_tokens) / static_cast<double>(unmatched_tokens)},
        {"worst_makespan_ratio", worst}};
    std::cout << report.dump(2) << "\n";
  });
}
