// SPDX-License-Identifier: Apache-2.0
// `stowage digest CONFIG --steps N`: a digest a step and replica of what would be delivered, by the same code that
// delivers; alone or with any number of ranks.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>

#include "checkpoint/store.hpp"
#include "cli/commands.hpp"
#include "cli/mpi_session.hpp"
#include "deliver/step_block.hpp"
#include "deliver/step_digest.hpp"
#include "loader/alarm.hpp"
#include "loader/pipeline.hpp"
#include "loader/resume.hpp"
#include "loader/shared_config.hpp"
#include "loader/threads.hpp"
#include "mpi/communicator.hpp"
#include "mpi/nodes.hpp"

namespace stowage::cli {
namespace {

constexpr double kStartupSeconds = 300.0;

struct Options {
  std::string config;
  std::optional<std::uint64_t> steps;
  std::string from;
  std::optional<std::uint64_t> at;
  bool accept_changes = false;
  std::string save;
};

struct Line {
  std::uint32_t replica;
  std::uint32_t reserved;
  Digest digest;
};

// One step's digests, in replica order; printed on rank 0. Collective over `team`.
void print_step(exchange::Team& team, std::uint64_t step, std::vector<loader::Produced> blocks, std::uint32_t slices) {
  std::vector<Line> mine;
  for (loader::Produced& produced : blocks) {
    const deliver::StepView view(std::move(produced.block));
    mine.push_back({produced.replica, 0, deliver::step_digest(view.step(), slices)});
  }
  const exchange::Gathered all = team.all_gather(std::as_bytes(std::span(mine)));
  if (team.rank() != 0) return;
  // Ranks construct ascending runs of replicas, so rank order is replica order.
  for (std::size_t at = 0; at < all.bytes.size(); at += sizeof(Line)) {
    Line line{};
    std::memcpy(&line, all.bytes.data() + at, sizeof(line));
    fmt::print("{} {} {}\n", step, line.replica, line.digest.hex());
  }
}

loader::Resume resume_of(const Options& options) {
  loader::Resume resume;
  resume.directory = options.from;
  resume.from = options.from.empty() ? loader::Resume::From::beginning
                : options.at         ? loader::Resume::From::step
                                     : loader::Resume::From::newest;
  resume.step = options.at.value_or(0);
  resume.accept_changes = options.accept_changes;
  return resume;
}

// nodes: [ranks of the team]
void print_digests(const Options& options, exchange::Team& team, const std::vector<int>& nodes) {
  const config::Config config = loader::share_config(options.config, team);
  if (config.exchange == config::Exchange::by_node) team.route_by_node(nodes);
  const loader::Catalogue catalogue = loader::Catalogue::open_or_throw(config, team);
  const loader::Start start = loader::start_of(config, catalogue, team, resume_of(options));
  loader::Pipeline pipeline(config, catalogue, team, loader::constructors_over(config.data_parallel, team.size()),
                            loader::from_heap, start.state);
  checkpoint::Ledger ledger(loader::draw_stream(config, catalogue, start.state.draws), start.state);
  loader::go_forward(pipeline, ledger, start.first_step);
  ledger.commit(start.first_step);
  const std::uint64_t steps = options.steps.value_or(std::numeric_limits<std::uint64_t>::max());
  for (std::uint64_t made = 0; made < steps; ++made) {
    loader::Pipeline::Outcome outcome = pipeline.next(false, 0);
    if (outcome.end) break;
    print_step(team, ledger.produced_steps(), std::move(outcome.blocks), config.micro_batch.context_parallel);
    ledger.produced(std::move(outcome.delta));
    ledger.commit(ledger.produced_steps());
  }
  std::fflush(stdout);
  if (options.save.empty()) return;
  exchange::together(team, [&] {
    if (team.rank() == 0) checkpoint::Store(options.save).write({start.fingerprint, ledger.state(), start.inputs});
  });
}

int run_in_job(const Options& options) {
  MpiSession mpi(kStartupSeconds);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto alarms = mpi::Communicator::duplicate(MPI_COMM_WORLD, {}, mpi::Deadline::never());
  const auto peers = mpi::Communicator::duplicate(MPI_COMM_WORLD, {}, mpi::Deadline::never());
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  loader::Alarm alarm(alarms.get(), ranks, rank);
  const std::vector<int> nodes = mpi::nodes_of_ranks(alarms.get());
  loader::share_cores(nodes, rank);
  const auto team = exchange::make_mpi_team(peers.get());
  team->set_idle([&] { alarm.check(); });
  Status status = STOWAGE_OK;
  std::string message;
  try {
    print_digests(options, *team, nodes);
  } catch (const exchange::SharedError& error) {
    status = error.status();
    message = error.what();
  } catch (...) {
    std::tie(status, message) = current_exception_status();
    alarm.raise(status, message);
  }
  if (status != STOWAGE_OK && rank == 0) std::fprintf(stderr, "stowage digest: %s\n", message.c_str());
  return mpi.ends_with(status);
}

int run(const Options& options) {
  if (launched_by_mpi()) return run_in_job(options);
  print_digests(options, *exchange::make_solo_team(), {0});
  return STOWAGE_OK;
}

}  // namespace

void add_digest(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "digest", "Print a digest a step and replica of what would be delivered; alone or under mpirun");
  command->add_option("config", options->config, "the YAML file that describes the run")->required();
  command->add_option("--steps", options->steps, "stop after this many steps (default: the whole run)");
  CLI::Option* from =
      command->add_option("--from-checkpoint", options->from, "go on from the newest checkpoint of this folder");
  command->add_option("--step", options->at, "go on from exactly this step")->needs(from);
  command->add_flag("--accept-changes", options->accept_changes, "go on although seed, orders or data are others")
      ->needs(from);
  command->add_option("--save-checkpoint", options->save, "write a checkpoint of the end to this folder");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
