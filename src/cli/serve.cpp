// SPDX-License-Identifier: Apache-2.0
// `stowage serve CONFIG`: what the loader ranks of a job run.
#include "loader/serve.hpp"

#include <atomic>
#include <charconv>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/mpi_session.hpp"
#include "cli/preemption.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"

namespace stowage::cli {
namespace {

struct Options {
  std::string config;
  std::string summary;
  bool quiet = false;
  double startup_seconds = 300.0;
  std::string resume = "auto";
  bool accept_changes = false;
};

std::atomic<bool> ended{false};

loader::Resume resume_of(const Options& options) {
  loader::Resume resume;
  resume.accept_changes = options.accept_changes;
  if (options.resume == "none") resume.from = loader::Resume::From::beginning;
  if (options.resume == "none" || options.resume == "auto") return resume;
  resume.from = loader::Resume::From::step;
  const char* end = options.resume.data() + options.resume.size();
  const auto [at, error] = std::from_chars(options.resume.data(), end, resume.step);
  if (error != std::errc{} || at != end) {
    fail(STOWAGE_INVALID_ARGUMENT, "--resume must be none, auto or a step, got '{}'", options.resume);
  }
  return resume;
}

int run(const Options& options) {
  const loader::Resume resume = resume_of(options);  // refused while no other rank waits for this one
  on_preemption([](int) { ended = true; });
  MpiSession mpi(options.startup_seconds);
  Progress progress("serve", options.quiet);
  loader::ServeOptions serve;
  serve.config_path = options.config;
  serve.startup_seconds = options.startup_seconds;
  serve.resume = resume;
  serve.ended = &ended;
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
  command->add_option("--resume", options->resume,
                      "where to go on: auto (the newest checkpoint, if there is one), none, or exactly a STEP");
  command->add_flag("--accept-changes", options->accept_changes,
                    "go on from a checkpoint although seed, orders or data are others");
  command->add_flag("--quiet", options->quiet, "show no progress");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
