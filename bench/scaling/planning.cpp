// SPDX-License-Identifier: Apache-2.0
// How long one rank takes to plan a step of up to 4,096 replicas: the very call that the pipeline makes, the least time
// of several repetitions.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/plan/lengths.hpp"
#include "plan/plan.hpp"

namespace {

double plan_ms(std::uint32_t replicas, std::uint32_t sequences_a_replica, int repetitions) {
  using namespace stowage;
  const auto lengths = bench::made_up_lengths(std::size_t{replicas} * sequences_a_replica, 16384, 1);
  plan::Request request;
  request.tokens = lengths;
  request.replicas = replicas;
  request.cap = 16384;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    const plan::Plan plan = plan::make_plan(request);
    least =
        std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Time to plan steps of ever more replicas"};
  int repetitions = 3;
  std::uint32_t sequences = 16;
  std::uint32_t largest = 4096;
  app.add_option("--repetitions", repetitions, "of each size; the least time counts")->capture_default_str();
  app.add_option("--sequences", sequences, "a replica and step")->capture_default_str();
  app.add_option("--largest", largest, "replicas")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return stowage::bench::guarded([&] {
    nlohmann::ordered_json report = {{"bench", "scaling of planning"}, {"results", nlohmann::ordered_json::array()}};
    for (const int threads : {1, 2}) {
      omp_set_num_threads(threads);
      for (std::uint32_t replicas = 8; replicas <= largest; replicas *= 2) {
        report["results"].push_back({{"replicas", replicas},
                                     {"sequences", replicas * sequences},
                                     {"threads", threads},
                                     {"plan_ms", plan_ms(replicas, sequences, repetitions)}});
      }
    }
    std::cout << report.dump(2) << "\n";
  });
}
