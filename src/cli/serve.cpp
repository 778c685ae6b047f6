// SPDX-License-Identifier: Apache-2.0
// `stowage serve CONFIG`: what the loader ranks of a job run.
#include "loader/serve.hpp"

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/mpi_session.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"

namespace stowage::cli {
namespace {

struct Options {
  std::string config;
  std::string summary;
  bool quiet = false;
  double startup_seconds = 300.0;
};

int run(const Options& options) {
  MpiSession mpi(options.startup_seconds);
  Progress progress("serve", options.quiet);
  loader::ServeOptions serve;
  serve.config_path = options.config;
  serve.startup_seconds = options.startup_seconds;
  serve.on_step = [&](std::uint64_t made, std::uint64_t all) { progress.update(made, all); };
  bool report_here = false;
  try {
    const loader::ServeSummary summary = loader::serve(MPI_COMM_WORLD, serve, &report_here);
    progress.finish();
    if (summary.first_rank && !options.summary.empty()) write_json(options.summary, to_json(summary));
    if (summary.lost > 0) mpi.leave_unfinalised();
    return STOWAGE_OK;
  } catch (const Error& error) {
    progress.finish();
    if (report_here) std::fprintf(stderr, "stowage serve: %s\n", error.what());
    return mpi.ends_with(error.status());
  }
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("serve", "Run a loader rank; start it with mpirun or srun beside trainers");
  command->add_option("config", options->config, "the YAML file that describes the run")->required();
  command->add_option("--summary", options->summary, "write what the run did as JSON to this file");
  command->add_option("--startup-seconds", options->startup_seconds, "longest wait for all ranks of the job")
      ->check(CLI::PositiveNumber);
  command->add_flag("--quiet", options->quiet, "show no progress");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
