// SPDX-License-Identifier: Apache-2.0
// How long the engine plans, and how much memory it takes: the least time of several repetitions, the peak of live heap
// bytes beyond the request. Both stages, a cap of 16,384 tokens unless told otherwise.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>

#include <malloc.h>

#include "bench/plan/lengths.hpp"
#include "plan/measure.hpp"
#include "plan/methods.hpp"

namespace {

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

void count(void* block) {
  const std::int64_t now = live += static_cast<std::int64_t>(malloc_usable_size(block));
  std::int64_t before = peak.load();
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
}

}  // namespace

// Every allocation of the program passes here, so that memory is counted and not guessed.
void* operator new(std::size_t size) {
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  count(block);
  return block;
}
void operator delete(void* block) noexcept {
  if (block != nullptr) live -= static_cast<std::int64_t>(malloc_usable_size(block));
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace {

struct Size {
  std::uint32_t sequences;
  std::uint32_t replicas;
};

nlohmann::ordered_json run(const Size& size, std::uint32_t cap, int threads, int repetitions) {
  using namespace stowage;
  const auto lengths = bench::made_up_lengths(size.sequences, std::min<std::uint32_t>(cap, 16384), 1);
  plan::Request request;
  request.tokens = lengths;
  request.replicas = size.replicas;
  request.cap = cap;
  omp_set_num_threads(threads);
  double least = std::numeric_limits<double>::infinity();
  std::int64_t most_bytes = 0;
  plan::Plan plan;
  for (int k = 0; k < repetitions; ++k) {
    plan = {};
    const std::int64_t before = live;
    peak = before;
    const auto begin = std::chrono::steady_clock::now();
    plan = plan::make_plan(request);
    least =
        std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    most_bytes = peak - before;
  }
  const plan::Measures measures = plan::measure(request, plan);
  return {{"sequences", size.sequences},
          {"replicas", size.replicas},
          {"cap", cap},
          {"threads", threads},
          {"plan_ms", least},
          {"bytes_per_sequence", static_cast<double>(most_bytes) / size.sequences},
          {"replica_max_over_bound", measures.replica_max_over_mean / measures.replica_bound_max_over_mean},
          {"slowest_over_bound", measures.slowest_over_bound},
          {"micro_batches", measures.micro_batches},
          {"micro_batches_bound", measures.micro_batches_bound}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Time and memory of the assignment engine"};
  int repetitions = 5;
  std::uint32_t cap = 16384;
  std::uint32_t largest = 1'000'000;
  app.add_option("--repetitions", repetitions, "of each size; the least time counts")->capture_default_str();
  app.add_option("--cap", cap, "tokens a micro-batch holds")->capture_default_str();
  app.add_option("--largest", largest, "sizes up to this many sequences")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return stowage::bench::guarded([&] {
    const Size sizes[] = {{256, 8},        {512, 32},       {2048, 64},      {4096, 256},
                          {10'000, 256},   {20'000, 512},   {50'000, 1024},  {65'536, 1024},
                          {100'000, 1024}, {200'000, 2048}, {500'000, 4096}, {1'000'000, 4096}};
    nlohmann::ordered_json report = {{"bench", "speed"}, {"runs", nlohmann::ordered_json::array()}};
    for (const int threads : {1, 2}) {
      for (const Size& size : sizes) {
        if (size.sequences <= largest) report["runs"].push_back(run(size, cap, threads, repetitions));
      }
    }
    std::cout << report.dump(2) << "\n";
  });
}
