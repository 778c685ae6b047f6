// SPDX-License-Identifier: Apache-2.0
// Delivery from one loader rank (rank 0) to the trainers beside it, all of one replica: through shared memory, by
// message, and as a bare memcpy of the same bytes. And the time from acquire to pointer when the step is ready.
//
//   mpirun -n 3 bench_deliver --json deliver.json && bench/compare deliver.json
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bench/support/bench_main.hpp"
#include "bench/support/measure.hpp"
#include "deliver/client.hpp"
#include "deliver/server.hpp"
#include "exchange/team.hpp"
#include "loader/registration.hpp"

namespace stowage::bench {
namespace {

struct Options {
  std::string json;
  std::uint64_t largest = std::uint64_t{64} << 20;  // bytes a step
  int latencies = 500;
  Repetitions repetitions;
};

constexpr mpi::Seconds kStartup{60};
constexpr std::size_t kMoreThanCaches = std::size_t{96} << 20;  // bytes
constexpr std::uint32_t kAhead = 2;  // steps held, and as many ahead: the default of the configuration

// A step of about so many bytes: micro-batches of 4,096 tokens.
deliver::AlignedBuffer step_block(std::uint64_t bytes) {
  constexpr std::uint32_t kLength = 4'096;
  constexpr std::uint64_t kBytesAToken = 28;
  const deliver::MicroShape shape{kLength, 1, kLength, static_cast<std::int32_t>(kLength)};
  const std::uint64_t count = std::max<std::uint64_t>(1, bytes / (kLength * kBytesAToken));
  return deliver::StepBlock(deliver::BlockHead{}, std::vector<deliver::MicroShape>(count, shape)).take();
}

// Rank 0 as loader, the others as trainers, one step at a time. All calls are collective over the ranks of the bench.
class Link {
 public:
  Link(MPI_Comm world, std::uint64_t shared_bytes) {
    int rank = 0;
    MPI_Comm_rank(world, &rank);
    if (rank != 0) {
      client_ = std::make_unique<deliver::Client>(world, 0, kStartup.count());
      return;
    }
    job_ = mpi::split_job(world, mpi::Role::loader, kStartup);
    const auto team = exchange::make_mpi_team(job_.peers.get());
    const auto registered = loader::gather_registrations(job_, *team, mpi::Deadline::after(kStartup));
    deliver::JobInfo info;
    info.steps_held = kAhead;
    const auto replicas = loader::replicas_of(registered, 1);
    const auto parts = loader::parts_of(registered, replicas, config::Config{});
    server_ = std::make_unique<deliver::Server>(
        job_.world.get(), loader::served_by(0, {0}, replicas, parts, job_, info), kAhead, shared_bytes);
  }

  void close() {
    if (client_) client_->close();
    if (server_) server_->wait_closed({}, mpi::Deadline::after(kStartup));
  }

  // The loader writes the step so many times, as far ahead as it may; every trainer acquires and releases each.
  void deliver(const deliver::AlignedBuffer& step, int times) {
    for (int i = 0; i < times; ++i) {
      if (server_) {
        until([&] { return server_->has_room(offered_); });
        offer(step);
      }
      if (client_) take();
    }
    if (server_) until([&] { return server_->released() == offered_; });
  }

  // The seconds of `count` acquires of this trainer, each of a step offered before it asks. ahead: steps beyond that
  // one that the loader has offered by then; with 0 each is offered after the one before was released. cold: before
  // each the trainer has read more memory than caches hold.
  std::vector<double> acquire_ready(MPI_Comm bench, const deliver::AlignedBuffer& step, int count, int ahead,
                                    bool cold) {
    std::vector<double> seconds;
    const std::vector<std::uint64_t> other(client_ && cold ? kMoreThanCaches / sizeof(std::uint64_t) : 0, 1);
    std::uint64_t read = 0;
    for (int i = 0; server_ && i < ahead; ++i) offer(step);
    for (int i = 0; i < count; ++i) {
      if (server_) offer(step);
      MPI_Barrier(bench);
      read += std::accumulate(other.begin(), other.end(), std::uint64_t{0});
      seconds.push_back(client_ ? take() : 0.0);
      if (server_) until([&] { return server_->released() + static_cast<std::uint64_t>(ahead) == offered_; });
      MPI_Barrier(bench);
    }
    for (int i = 0; client_ && i < ahead; ++i) take();
    if (server_) until([&] { return server_->released() == offered_; });
    if (read != other.size() * static_cast<std::uint64_t>(count))
      fail(STOWAGE_INTERNAL_ERROR, "the sum is wrong: {}", read);
    return seconds;
  }

 private:
  void offer(const deliver::AlignedBuffer& step) {
    deliver::AlignedBuffer block = server_->allocate(0, step.size());
    std::memcpy(block.bytes().data(), step.bytes().data(), step.size());
    server_->offer(0, std::move(block));
    ++offered_;
    server_->progress();
  }

  template <typename Done>
  void until(Done&& done) {
    while (!done()) {
      server_->progress();
      sched_yield();
    }
  }

  double take() {
    const auto begin = std::chrono::steady_clock::now();
    const deliver::StepView* view = client_->acquire(kStartup.count());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    client_->release(view->step());
    return seconds.count();
  }

  mpi::Job job_;
  std::unique_ptr<deliver::Server> server_;
  std::unique_ptr<deliver::Client> client_;
  std::uint64_t offered_ = 0;
};

// Times of the first trainer, known to rank 0; warm-up left out.
nlohmann::json latency(MPI_Comm world, const std::string& name, Link& link, const deliver::AlignedBuffer& step,
                       bool ours, int count, int ahead, bool cold) {
  constexpr int kWarmUp = 20;
  std::vector<double> seconds = link.acquire_ready(world, step, kWarmUp + count, ahead, cold);
  MPI_Bcast(seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, 1, world);
  seconds.erase(seconds.begin(), seconds.begin() + kWarmUp);
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  return {{"name", name},
          {"ours", ours},
          {"seconds", seconds},
          {"microseconds", {{"median", at(0.5) * 1e6}, {"p99", at(0.99) * 1e6}, {"max", at(1.0) * 1e6}}}};
}

void bench_deliver(const Options& options) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) fail(STOWAGE_INVALID_ARGUMENT, "needs a loader rank and at least one trainer: start 2 ranks or more");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Link ring(MPI_COMM_WORLD, 8 * options.largest);
  Link messages(MPI_COMM_WORLD, 0);

  nlohmann::json results = nlohmann::json::array();
  for (std::uint64_t bytes = std::min<std::uint64_t>(options.largest, 1 << 20); bytes <= options.largest; bytes *= 8) {
    const deliver::AlignedBuffer step = step_block(bytes);
    const auto times = static_cast<int>(std::clamp<std::uint64_t>((std::uint64_t{512} << 20) / step.size(), 8, 200));
    std::vector<deliver::AlignedBuffer> copies;  // as many places as the ring uses in turn
    for (std::uint32_t i = 0; i < 2 * kAhead; ++i) copies.emplace_back(step.size());
    const std::vector<Candidate> candidates{{"shared memory", true, [&] { ring.deliver(step, times); }},
                                            {"messages", false, [&] { messages.deliver(step, times); }},
                                            {"memcpy", false, [&] {
                                               for (int i = 0; rank == 0 && i < times; ++i) {
                                                 std::memcpy(
                                                     copies[static_cast<std::size_t>(i) % copies.size()].bytes().data(),
                                                     step.bytes().data(), step.size());
                                               }
                                             }}};
    results.push_back(compare(MPI_COMM_WORLD, human_bytes(step.size()) + " a step",
                              step.size() * static_cast<std::uint64_t>(times), candidates, options.repetitions));
  }
  const deliver::AlignedBuffer step = step_block(std::min<std::uint64_t>(options.largest, 1 << 20));
  for (const bool cold : {false, true}) {
    for (const int ahead : {1, 0}) {
      nlohmann::json acquire{
          {"case", fmt::format("acquire of a ready step, {} more ahead{}", ahead, cold ? ", caches cold" : "")},
          {"bytes", step.size()}};
      const auto measure = [&](const char* name, Link& link, bool ours) {
        acquire["candidates"].push_back(
            latency(MPI_COMM_WORLD, name, link, step, ours, options.latencies, ahead, cold));
      };
      measure("shared memory", ring, true);
      measure("messages", messages, false);
      results.push_back(acquire);
    }
  }

  ring.close();
  messages.close();
  write_report(MPI_COMM_WORLD, "deliver", results, options.json);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  using namespace stowage::bench;
  Options options;
  CLI::App app("Compares delivery through shared memory with messages and with memcpy");
  app.add_option("--json", options.json, "write the report here instead of to standard output");
  app.add_option("--largest", options.largest, "bytes a step in the largest case")->capture_default_str();
  app.add_option("--latencies", options.latencies, "acquires that are timed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions.measured, "measured runs a candidate")->capture_default_str();
  app.add_option("--warm-up", options.repetitions.warm_up, "runs before them")->capture_default_str();
  return run(app, argc, argv, [&] { bench_deliver(options); });
}
