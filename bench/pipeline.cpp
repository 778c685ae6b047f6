// SPDX-License-Identifier: Apache-2.0
// From the file to the trainer's arrays: whole runs with trainers that do not wait, next to bare messages that carry
// the bytes of the same steps from the same loaders to the same trainers.
//
//   mpirun -n 6 bench_pipeline --json pipeline.json && bench/compare pipeline.json      (4 trainers, 2 loaders)
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/bytes.hpp"
#include "bench/support/bench_main.hpp"
#include "bench/support/made_up_source.hpp"
#include "bench/support/measure.hpp"
#include "loader/pipeline.hpp"
#include "loader/serve.hpp"
#include "mpi/check.hpp"
#include "stowage.h"

namespace stowage::bench {
namespace {

struct Options {
  std::string json;
  std::string folder = "bench_pipeline_data";
  std::uint64_t steps = 100;
  std::uint64_t step_tokens = 262144;  // of all replicas
  std::uint64_t sequences = 20000;     // in each of two sources
  Repetitions repetitions{.warm_up = 1, .measured = 7};
};

struct Roles {
  int rank = 0;
  int trainers = 1;
  int loaders = 1;
  bool trains() const noexcept { return rank < trainers; }
};

Roles roles() {
  Roles roles;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &roles.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) fail(STOWAGE_MPI_ERROR, "bench_pipeline needs at least 2 ranks, got {}", ranks);
  roles.trainers = std::max(1, ranks * 2 / 3);
  roles.loaders = ranks - roles.trainers;
  return roles;
}

std::string write_data(const Options& options, const Roles& roles) {
  const std::string config = options.folder + "/run.yaml";
  if (roles.rank == 0) {
    std::filesystem::create_directories(options.folder);
    write_source(options.folder + "/short", false, options.sequences, 200);
    write_source(options.folder + "/long.h5", true, options.sequences, 1000);
    std::ofstream(config) << fmt::format(
        "data_parallel: {}\nsteps: {}\nbatch: {{tokens: {}}}\nmicro_batch: {{tokens: 8192}}\nprefetch: {{steps: 2}}\n"
        "sources:\n  - {{name: short, format: megatron, path: short, weight: 1}}\n"
        "  - {{name: long, format: hdf5, path: long.h5, weight: 1}}\n",
        roles.trainers, options.steps, options.step_tokens);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return config;
}

void require(stowage_status status) {
  if (status != STOWAGE_OK) throw Error(status, stowage_last_message());
}

// What one run moved.
struct Moved {
  std::uint64_t tokens = 0;
  std::uint64_t delivered = 0;  // bytes to trainers
};

Moved run_job(const std::string& config, const Roles& roles) {
  if (!roles.trains()) {
    loader::ServeOptions serve;
    serve.config_path = config;
    bool report_here = false;
    const loader::ServeSummary summary = loader::serve(MPI_COMM_WORLD, serve, &report_here);
    return {summary.plan.tokens, summary.ranks.bytes_delivered};
  }
  stowage_trainer* trainer = nullptr;
  require(stowage_trainer_create(MPI_COMM_WORLD, nullptr, &trainer));
  const stowage_step* step = nullptr;
  stowage_status status = STOWAGE_OK;
  while ((status = stowage_step_acquire(trainer, &step)) == STOWAGE_OK) require(stowage_step_release(trainer, &step));
  if (status != STOWAGE_END) require(status);
  require(stowage_trainer_destroy(&trainer));
  return {};
}

// As many messages of the mean size of a step, from the rank that constructs a replica to its trainer.
void run_bare(const Options& options, const Roles& roles, std::uint64_t step_bytes, Bytes& buffer) {
  buffer.resize(step_bytes);
  const int bytes = static_cast<int>(step_bytes);
  const auto constructors = loader::constructors_over(static_cast<std::uint32_t>(roles.trainers), roles.loaders);
  for (std::uint64_t s = 0; s < options.steps; ++s) {
    if (roles.trains()) {
      const int from = roles.trainers + constructors[static_cast<std::size_t>(roles.rank)];
      mpi::check(MPI_Recv(buffer.data(), bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
      continue;
    }
    for (int t = 0; t < roles.trainers; ++t) {
      if (roles.trainers + constructors[static_cast<std::size_t>(t)] != roles.rank) continue;
      mpi::check(MPI_Send(buffer.data(), bytes, MPI_BYTE, t, 0, MPI_COMM_WORLD), "MPI_Send");
    }
  }
}

void bench_pipeline(const Options& options) {
  const Roles roles = bench::roles();
  const std::string config = write_data(options, roles);
  Moved moved = run_job(config, roles);
  MPI_Bcast(&moved, sizeof(moved), MPI_BYTE, roles.trainers, MPI_COMM_WORLD);
  const std::uint64_t step_bytes = moved.delivered / options.steps / static_cast<std::uint64_t>(roles.trainers);
  Bytes buffer;
  const std::vector<Candidate> candidates{
      {"file to trainer", true, [&] { run_job(config, roles); }},
      {"bare messages", false, [&] { run_bare(options, roles, step_bytes, buffer); }}};
  const std::string name =
      fmt::format("{} trainers, {} loaders, {} tokens", roles.trainers, roles.loaders, moved.tokens);
  nlohmann::json result = compare(MPI_COMM_WORLD, name, moved.delivered, candidates, options.repetitions);
  if (roles.rank == 0) result["tokens"] = moved.tokens;
  write_report(MPI_COMM_WORLD, "pipeline", nlohmann::json::array({result}), options.json);
  if (roles.rank == 0) std::filesystem::remove_all(options.folder);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  using namespace stowage::bench;
  Options options;
  CLI::App app("Compares whole runs, from the file to trainers that do not wait, with bare messages of the same bytes");
  app.add_option("--json", options.json, "write the report here instead of to standard output");
  app.add_option("--folder", options.folder, "where its data goes; removed at the end")->capture_default_str();
  app.add_option("--steps", options.steps, "of a run")->capture_default_str();
  app.add_option("--step-tokens", options.step_tokens, "of all replicas")->capture_default_str();
  app.add_option("--sequences", options.sequences, "in each of two sources")->capture_default_str();
  app.add_option("--repetitions", options.repetitions.measured, "measured runs a candidate")->capture_default_str();
  app.add_option("--warm-up", options.repetitions.warm_up, "runs before them")->capture_default_str();
  return run(app, argc, argv, [&] { bench_pipeline(options); });
}
