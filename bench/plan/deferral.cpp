// SPDX-License-Identifier: Apache-2.0
// What waiting outliers save: makespan (costliest replica) of the same stream for several bounds on the wait.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/plan/lengths.hpp"
#include "plan/deferral.hpp"
#include "plan/methods.hpp"

namespace {

using namespace stowage;

nlohmann::ordered_json run(const std::vector<std::vector<std::uint32_t>>& stream, std::uint32_t replicas,
                           std::uint32_t most) {
  plan::DeferralQueue queue(most, replicas, plan::CostModel{});
  double makespans = 0.0;
  double work = 0.0;
  std::uint32_t longest_wait = 0;
  std::uint64_t planned = 0;
  std::uint64_t drawn = 0;
  std::uint64_t deferred = 0;
  const auto plan_step = [&](const std::vector<plan::Deferrable>& now) {
    std::vector<std::uint32_t> lengths;
    for (const plan::Deferrable& one : now) {
      lengths.push_back(one.tokens);
      longest_wait = std::max(longest_wait, one.waited);
      deferred += one.waited > 0 ? 1 : 0;
    }
    planned += lengths.size();
    if (lengths.empty()) return;
    plan::Request request;
    request.tokens = lengths;
    request.replicas = replicas;
    const plan::Plan plan = plan::replica_plan(request);
    makespans += *std::max_element(plan.replica_cost.begin(), plan.replica_cost.end());
    work += std::accumulate(plan.replica_cost.begin(), plan.replica_cost.end(), 0.0);
  };
  for (const auto& step : stream) {
    std::vector<plan::Deferrable> arrivals;
    for (const std::uint32_t tokens : step) arrivals.push_back({drawn++, tokens, 0});
    plan_step(queue.step(arrivals));
  }
  plan_step(queue.flush());  // the stream ends with everything delivered; this step's time counts too
  return {{"most_steps", most},
          {"mean_makespan", makespans / static_cast<double>(stream.size())},
          {"over_even_share", makespans * replicas / work},
          {"deferred_share", static_cast<double>(deferred) / static_cast<double>(drawn)},
          {"longest_wait", longest_wait},
          {"lost", drawn - planned}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makespan by bound on deferral"};
  std::string file;
  std::vector<std::size_t> columns = {1, 2};
  std::uint32_t replicas = 64;
  std::uint32_t sequences = 512;
  std::uint32_t steps = 100;
  app.add_option("--lengths", file, "CSV file (default: made-up lengths up to 200,000 tokens)");
  app.add_option("--columns", columns, "numbers of the columns to add, from 0")->delimiter(',');
  app.add_option("--replicas", replicas)->capture_default_str();
  app.add_option("--sequences", sequences, "a step")->capture_default_str();
  app.add_option("--steps", steps)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return bench::guarded([&] {
    const auto table = file.empty() ? bench::made_up_lengths(4000, 200'000, 1) : bench::read_lengths(file, columns);
    std::mt19937_64 random(1);
    std::vector<std::vector<std::uint32_t>> stream(steps);
    for (auto& step : stream) {
      for (std::uint32_t k = 0; k < sequences; ++k) step.push_back(table[random() % table.size()]);
    }
    nlohmann::ordered_json report = {{"bench", "deferral"},
                                     {"replicas", replicas},
                                     {"sequences", sequences},
                                     {"steps", steps},
                                     {"runs", nlohmann::ordered_json::array()}};
    for (const std::uint32_t most : {0U, 1U, 2U, 4U, 8U}) report["runs"].push_back(run(stream, replicas, most));
    std::cout << report.dump(2) << "\n";
  });
}
