// SPDX-License-Identifier: Apache-2.0
// How near to the optimum: exhaustive search on small cases, an integer program (CBC) on medium ones, bounds and
// baselines on real lengths.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "plan/bounds.hpp"
#include "plan/lengths.hpp"
#include "plan/measure.hpp"
#include "plan/methods.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::plan::test {
namespace {

double slowest(const Plan& plan) {
  return *std::max_element(plan.replica_cost.begin(), plan.replica_cost.end());
}

// The shortest makespan of every division there is.
double exhaustive(const Request& request) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> load(request.replicas, 0.0);
  const std::function<void(std::size_t)> place = [&](std::size_t i) {
    if (i == request.tokens.size()) {
      best = std::min(best, *std::max_element(load.begin(), load.end()));
      return;
    }
    for (double& replica : load) {
      replica += request.cost(request.tokens[i]);
      place(i + 1);
      replica -= request.cost(request.tokens[i]);
    }
  };
  place(0);
  return best;
}

// The shortest slowest micro-batch of every packing of the step into `count` micro-batches under the cap; infinite when
// none exists.
double exhaustive_slowest(const Request& request, std::size_t count) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> load(count, 0.0);
  std::vector<std::uint64_t> used(count, 0);
  const std::function<void(std::size_t)> place = [&](std::size_t i) {
    if (i == request.tokens.size()) {
      best = std::min(best, *std::max_element(load.begin(), load.end()));
      return;
    }
    for (std::size_t m = 0; m < count; ++m) {
      if (used[m] + request.tokens[i] > request.cap) continue;
      used[m] += request.tokens[i];
      load[m] += request.cost(request.tokens[i]);
      place(i + 1);
      used[m] -= request.tokens[i];
      load[m] -= request.cost(request.tokens[i]);
    }
  };
  place(0);
  return best;
}

TEST(Optimality, OfReplicasOnSmallCases) {
  int optimal = 0;
  double worst = 1.0;
  constexpr int kCases = 200;
  for (int k = 0; k < kCases; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const Lengths lengths = random_lengths(3 + seed % 8, 8000, seed + 1);
    const Request request = request_for(lengths, 2 + static_cast<std::uint32_t>(seed) % 2, 100'000);

    const double ratio = slowest(make_plan(request)) / exhaustive(request);

    worst = std::max(worst, ratio);
    optimal += ratio <= 1.0 + 1e-9 ? 1 : 0;
  }

  RecordProperty("optimal", optimal);
  EXPECT_GE(optimal, kCases * 95 / 100);
  EXPECT_LE(worst, 1.02);
}

TEST(Optimality, OfTwelveSequencesOnThreeReplicas) {
  int optimal = 0;
  double worst = 1.0;
  constexpr int kCases = 20;
  for (int k = 0; k < kCases; ++k) {
    const Lengths lengths = random_lengths(12, 8000, static_cast<std::uint64_t>(k) + 1000);
    const Request request = request_for(lengths, 3, 100'000);

    const double ratio = slowest(make_plan(request)) / exhaustive(request);

    worst = std::max(worst, ratio);
    optimal += ratio <= 1.0 + 1e-5 ? 1 : 0;
  }

  EXPECT_GE(optimal, kCases * 95 / 100);
  EXPECT_LE(worst, 1.02);
}

TEST(Optimality, OfMicroBatchesUnderACapOnSmallCases) {
  int optimal = 0;
  int compared = 0;
  double worst = 1.0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Lengths lengths = random_lengths(5 + seed % 4, 4000, seed + 1);
    Request request = request_for(lengths, 1, 8192);
    request.objective = Objective::pipeline;
    request.extra_micro_batches = 0;
    const Plan plan = make_plan(request);
    double most = 0.0;
    for (std::uint32_t m = 0; m < plan.micro_batches(); ++m) {
      double cost = 0.0;
      for (const std::uint32_t i : plan.sequences(m)) cost += request.cost(lengths[i]);
      most = std::max(most, cost);
    }

    const double ratio = most / exhaustive_slowest(request, plan.micro_batches());

    ++compared;
    worst = std::max(worst, ratio);
    optimal += ratio <= 1.001 + 1e-9 ? 1 : 0;  // the search ends a thousandth from its bound
    if (plan.micro_batches() > 1) {
      EXPECT_EQ(exhaustive_slowest(request, bin_count_bound(lengths, request.cap) - 1),
                std::numeric_limits<double>::infinity());
    }
  }

  EXPECT_GE(optimal, compared * 95 / 100);
  EXPECT_LE(worst, 1.02);
}

// The division as an integer program in CPLEX LP format: x_i_r is 1 when sequence i is replica r's, t is the makespan.
std::string integer_program(const Request& request, double unit) {
  std::ostringstream text;
  text.precision(12);
  text << "Minimize\n t\nSubject To\n";
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    for (std::uint32_t r = 0; r < request.replicas; ++r) text << (r == 0 ? " " : " + ") << "x_" << i << "_" << r;
    text << " = 1\n";
  }
  for (std::uint32_t r = 0; r < request.replicas; ++r) {
    for (std::size_t i = 0; i < request.tokens.size(); ++i) {
      text << (i == 0 ? " " : " + ") << request.cost(request.tokens[i]) / unit << " x_" << i << "_" << r;
    }
    text << " - t <= 0\n";
  }
  text << "Binary\n";
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    for (std::uint32_t r = 0; r < request.replicas; ++r) text << " x_" << i << "_" << r << "\n";
  }
  text << "End\n";
  return text.str();
}

TEST(Optimality, IsWithinHalfAPercentOfAnIntegerProgramOnMediumCases) {
  if (std::system("command -v cbc >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "cbc is not installed (apt-get install coinor-cbc)";
  const stowage::test::TemporaryFolder folder;
  for (const std::uint64_t seed : {1U, 2U}) {
    const Lengths lengths = random_lengths(18, 8000, seed);
    const Request request = request_for(lengths, 3, 1'000'000);
    const double unit = request.cost(8000);
    const std::filesystem::path program = folder.path() / "step.lp";
    const std::filesystem::path solution = folder.path() / "step.txt";
    std::ofstream(program) << integer_program(request, unit);
    const auto begin = std::chrono::steady_clock::now();
    const Plan plan = make_plan(request);
    const auto planned = std::chrono::steady_clock::now();

    const std::string command =
        "cbc " + program.string() + " sec 3 solve solu " + solution.string() + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0);

    const auto solved = std::chrono::steady_clock::now();
    std::string line;
    std::ifstream in(solution);
    ASSERT_TRUE(std::getline(in, line));
    const double cbc = std::stod(line.substr(line.rfind(' '))) * unit;
    const double ratio = slowest(plan) / cbc;
    std::printf(
        "[   info   ] 18 sequences on 3 replicas: %.6f of CBC's makespan; ours %.3f ms, CBC %.0f ms (limit 3 s of "
        "processor time)\n",
        ratio, std::chrono::duration<double, std::milli>(planned - begin).count(),
        std::chrono::duration<double, std::milli>(solved - planned).count());
    EXPECT_LE(ratio, 1.005);
  }
}

constexpr std::pair<std::uint32_t, std::uint32_t> kSizes[] = {{256, 8}, {512, 32}, {2048, 64}, {4096, 256}};

TEST(RealLengths, ReplicasAreNeverWorseThanGreedyOrDifferencing) {
  for (const RealTable& table : real_tables()) {
    const Lengths all = real_lengths(table.file, table.columns);
    SKIP_WITHOUT(all);
    for (const auto& [sequences, replicas] : kSizes) {
      const Lengths lengths = sampled(all, sequences, replicas);
      const Request request = request_for(lengths, replicas, 0);

      const double ours = slowest(method("stowage").plan(request));

      EXPECT_LE(ours, slowest(method("lpt").plan(request)) * (1 + 1e-12)) << table.name << " " << sequences;
      EXPECT_LE(ours, slowest(method("karmarkar-karp").plan(request)) * (1 + 1e-12)) << table.name << " " << sequences;
    }
  }
}

TEST(RealLengths, ReplicasAreWithinAThousandthOfTheBound) {
  for (const RealTable& table : real_tables()) {
    const Lengths all = real_lengths(table.file, table.columns);
    SKIP_WITHOUT(all);
    for (const auto& [sequences, replicas] : kSizes) {
      const Lengths lengths = sampled(all, sequences, replicas + 1);
      const Request request = request_for(lengths, replicas, 0);

      const Measures measures = measure(request, method("stowage").plan(request));

      EXPECT_LE(measures.makespan_over_bound, 1.001) << table.name << " " << sequences;
    }
  }
}

TEST(RealLengths, BothStagesAreWithinTwoPercentOfTheirBoundsOnAverage) {
  for (const std::uint32_t stages : {1U, 4U}) {
    double makespan = 0.0;
    double slowest_micro_batch = 0.0;
    int count = 0;
    for (const RealTable& table : real_tables()) {
      const Lengths all = real_lengths(table.file, table.columns);
      SKIP_WITHOUT(all);
      for (const std::uint32_t cap : {8192U, 16384U}) {
        for (const auto& [sequences, replicas] : {std::pair{256U, 8U}, {512U, 32U}, {2048U, 64U}}) {
          const Lengths lengths = sampled(all, sequences, replicas, cap);
          Request request = request_for(lengths, replicas, cap);
          request.pipeline_stages = stages;
          if (stages > 1) request.objective = Objective::pipeline;

          const Measures ours = measure(request, make_plan(request));

          makespan += ours.makespan_over_bound;
          slowest_micro_batch += ours.slowest_over_bound;
          ++count;
          EXPECT_LE(ours.micro_batches, ours.micro_batches_bound + 1) << table.name << " " << sequences << " " << cap;
          for (const Method& other : methods()) {
            const Measures baseline = measure(request, other.plan(request));
            // With a pipeline and no fixed costs, more and smaller micro-batches shorten the step: compared like with
            // like.
            if (baseline.dropped > 0 || baseline.micro_batches > ours.micro_batches_bound + 1) continue;
            EXPECT_LE(ours.makespan_over_bound, baseline.makespan_over_bound * (1 + 1e-5))
                << other.name << " on " << table.name << " " << sequences << " " << cap << " stages " << stages;
          }
        }
      }
    }
    std::printf("[   info   ] %u stages: makespan %.5f of the bound, slowest micro-batch %.5f, means of %d\n", stages,
                makespan / count, slowest_micro_batch / count, count);
    EXPECT_LE(makespan / count, 1.02);
    EXPECT_LE(slowest_micro_batch / count, 1.02);
  }
}

}  // namespace
}  // namespace stowage::plan::test
