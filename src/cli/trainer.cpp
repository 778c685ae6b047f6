// SPDX-License-Identifier: Apache-2.0
// `stowage trainer`: a stand-in for a training rank. It uses the C API as a trainer does, checks all that it receives,
// and waits for as long as a cost model says a GPU would compute.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "cli/batch_check.hpp"
#include "cli/commands.hpp"
#include "cli/history.hpp"
#include "cli/mpi_session.hpp"
#include "cli/preemption.hpp"
#include "cli/recorder.hpp"
#include "cli/reference_check.hpp"
#include "cli/summary.hpp"
#include "cli/trainer_place.hpp"
#include "cli/wait_clock.hpp"
#include "mpi/reduce.hpp"
#include "stowage.h"

namespace stowage::cli {
namespace {

struct Options {
  std::string embedded;
  std::int32_t replica = -1;
  PlaceWords place;
  std::string reference;
  std::uint64_t max_steps = 0;
  std::string digests;
  std::string segments;
  bool tokens = false;
  std::string history;
  std::string summary;
  double linear = 24576.0;
  double quadratic = 1.0;
  double seconds_per_cost = 0.0;
  bool no_sync = false;
  bool no_check = false;
  double startup_seconds = 300.0;
  double acquire_seconds = 0.0;
  double sync_seconds = 600.0;
  std::int64_t resume_step = -1;
  std::uint64_t save_every = 0;
};

// Errors that the loaders have shown already begin with this (stowage_last_message()).
constexpr std::string_view kReported = "the loaders reported: ";

constexpr double kTellOthers = 5.0;  // seconds in which a trainer with an error lets the others know

void require(stowage_status status) {
  if (status != STOWAGE_OK) throw Error(status, stowage_last_message());
}

// The time that the model's cost of the step's segments takes.
std::chrono::duration<double> compute_time(const stowage_step& step, const Options& options) {
  double cost = 0;
  for (std::uint32_t m = 0; m < step.micro_batch_count; ++m) {
    const stowage_micro_batch& batch = step.micro_batches[m];
    for (std::uint32_t s = 0; s < batch.segments; ++s) {
      const double tokens = batch.origin[s].tokens;
      cost += options.linear * tokens + options.quadratic * tokens * tokens;
    }
  }
  return std::chrono::duration<double>(cost * options.seconds_per_cost);
}

// Every rank has a file of its own.
std::string history_file(const std::string& prefix) {
  if (prefix.empty()) return prefix;
  int running = 0;
  MPI_Initialized(&running);
  int rank = 0;
  if (running != 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return fmt::format("{}.{}", prefix, rank);
}

// One training rank from its handle to the end of the stream.
class Trainer {
 public:
  Trainer(stowage_trainer* handle, const stowage_trainer_options& place, const Options& options)
      : handle_(handle),
        place_(place),
        options_(options),
        recorder_(options.digests, options.segments, options.tokens),
        history_(history_file(options.history)) {
    require(stowage_trainer_info(handle_, &info_));
    steps_ = info_.first_step;
    require(stowage_trainer_comm(handle_, &comm_));
    place_.replica = static_cast<std::int32_t>(info_.replica);
    if (!options_.reference.empty()) reference_ = std::make_unique<ReferenceCheck>(options_.reference, place_);
  }

  // STOWAGE_OK, or STOWAGE_PREEMPTED if the run was ended from outside.
  stowage_status run() {
    const stowage_step* step = nullptr;
    while (options_.max_steps == 0 || steps_ - info_.first_step < options_.max_steps) {
      clock_.acquire_begins();
      const stowage_status mine = stowage_step_acquire(handle_, &step);
      const double waited = clock_.acquire_ends();
      const stowage_status status = agreed(mine);
      if (status == STOWAGE_PREEMPTED) return status;
      if (status == STOWAGE_END) break;
      history_.add(*step, waited);
      use(*step);
      require(stowage_step_release(handle_, &step));
      ++steps_;
      save();
      clock_.step_ends();
    }
    if (saved_) require(stowage_checkpoint_wait(handle_, *saved_, options_.sync_seconds));
    if (options_.max_steps == 0 && info_.steps != 0 && steps_ != info_.steps) {
      fail(STOWAGE_INTERNAL_ERROR, "replica {}: {} steps were announced, {} came", info_.replica, info_.steps, steps_);
    }
    return STOWAGE_OK;
  }

  void report() {
    const mpi::Idle idle = within(options_.sync_seconds, "at the end");
    recorder_.write(comm_, info_.replica, idle);
    const WaitSummary waits = clock_.summary(comm_, idle);
    int rank = 0;
    if (comm_ != MPI_COMM_NULL) MPI_Comm_rank(comm_, &rank);
    if (rank != 0) return;
    fmt::print(
        "trainers: {} steps of {} replicas, {}; wait for data: first {:.3f} s, then mean {:.2f} ms, max {:.2f} ms, "
        "{:.2f} % of the time\n",
        steps_ - info_.first_step, info_.replicas, options_.no_check ? "nothing checked" : "every array checked",
        waits.first_seconds, waits.mean_seconds * 1e3, waits.max_seconds * 1e3, waits.share * 1e2);
    if (!options_.summary.empty()) {
      write_json(options_.summary, {{"steps", steps_ - info_.first_step},
                                    {"first_step", info_.first_step},
                                    {"seconds", waits.seconds},
                                    {"wait_first_s", waits.first_seconds},
                                    {"wait_mean_s", waits.mean_seconds},
                                    {"wait_max_s", waits.max_seconds},
                                    {"wait_share", waits.share}});
    }
  }

 private:
  // As a trainer does that writes its model now and then.
  void save() {
    if (options_.save_every == 0 || steps_ % options_.save_every != 0) return;
    require(stowage_checkpoint_save(handle_, steps_));
    saved_ = steps_;
  }

  void use(const stowage_step& step) {
    if (!options_.no_check) check_step(step, info_, place_, steps_);
    if (reference_) reference_->check(step);
    recorder_.add(step);
    std::this_thread::sleep_for(compute_time(step, options_));
  }

  // Ends a wait for the other trainers that takes too long.
  mpi::Idle within(double limit, std::string where) const {
    const auto deadline = mpi::Deadline::after(mpi::Seconds(limit));
    return [this, limit, where = std::move(where), deadline] {
      if (!deadline.passed()) return;
      fail(STOWAGE_PEER_LOST,
           "replica {}: waited {:.1f} s (--sync-seconds) for the other trainers {}, and some did not come",
           info_.replica, limit, where);
    };
  }

  // Trainers meet once a step, as the reduction of gradients makes them, and none goes on alone: the largest status of
  // all trainers, thrown if it is an error.
  stowage_status agreed(stowage_status mine) const {
    const auto ends = [](stowage_status status) { return status == STOWAGE_END || status == STOWAGE_PREEMPTED; };
    if (comm_ == MPI_COMM_NULL || options_.no_sync) {
      if (!ends(mine)) require(mine);
      return mine;
    }
    const bool failed = mine != STOWAGE_OK && !ends(mine);
    const auto told = mpi::Deadline::after(mpi::Seconds(std::min(kTellOthers, options_.sync_seconds)));
    const mpi::Idle in_time = within(options_.sync_seconds, fmt::format("at step {}", steps_));
    std::uint64_t best = ~static_cast<std::uint64_t>(mine);
    mpi::all_reduce_min(comm_, std::span(&best, 1), [&] {
      if (failed && told.passed()) require(mine);
      in_time();
    });
    if (failed) require(mine);
    const auto status = static_cast<stowage_status>(~best);
    if (status == STOWAGE_PREEMPTED) return status;  // also where the step has come: all leave after the same one
    if (status != STOWAGE_OK && status != STOWAGE_END) throw Error(status, "");  // told by the trainer that has it
    if (mine != status)
      fail(STOWAGE_INTERNAL_ERROR, "replica {}: the stream ended at step {} for others", info_.replica, steps_);
    return status;
  }

  stowage_trainer* handle_;
  stowage_trainer_options place_;
  const Options& options_;
  stowage_info info_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  Recorder recorder_;
  History history_;
  std::unique_ptr<ReferenceCheck> reference_;
  WaitClock clock_;
  std::uint64_t steps_ = 0;  // of the run, those before first_step included
  std::optional<std::uint64_t> saved_;
};

// The handle that a signal ends; it outlives the handler's being set.
std::atomic<stowage_trainer*> preemptible{nullptr};

void preempt(int /*signal*/) {
  if (stowage_trainer* handle = preemptible) stowage_checkpoint_now(handle);
}

// While it lives, SIGTERM and SIGUSR1 end the run, saved.
class PreemptibleScope {
 public:
  explicit PreemptibleScope(stowage_trainer* handle) {
    preemptible = handle;
    on_preemption(preempt);
  }
  ~PreemptibleScope() { preemptible = nullptr; }
};

// Shows the current exception, unless the loaders have or another trainer does.
void show_error() {
  const auto [status, message] = current_exception_status();
  if (!message.empty() && !message.starts_with(kReported))
    std::fprintf(stderr, "stowage trainer: %s\n", message.c_str());
}

// Runs the trainer of that rank of the job; `joined` turns true when it has its handle. In a job later errors are shown
// here: before the good-bye, in which the launcher may end this process because another rank has failed.
stowage_status train(const Options& options, std::int32_t rank, bool& joined) {
  stowage_trainer_options chosen;
  require(stowage_trainer_options_init(&chosen));
  chosen.replica = options.replica;
  chosen.startup_seconds = options.startup_seconds;
  chosen.acquire_seconds = options.acquire_seconds;
  chosen.resume_step = options.resume_step;
  set_place(options.place, rank, chosen);
  stowage_trainer* handle = nullptr;
  require(options.embedded.empty() ? stowage_trainer_create(MPI_COMM_WORLD, &chosen, &handle)
                                   : stowage_trainer_create_embedded(options.embedded.c_str(), &chosen, &handle));
  joined = true;
  stowage_status status = STOWAGE_OK;
  try {
    const PreemptibleScope scope(handle);
    Trainer trainer(handle, chosen, options);
    status = trainer.run();
    trainer.report();
  } catch (...) {
    if (options.embedded.empty()) show_error();
    stowage_trainer_destroy(&handle);
    throw;
  }
  require(stowage_trainer_destroy(&handle));
  return status;
}

int run_in_job(const Options& options) {
  MpiSession mpi(options.startup_seconds);
  if (std::getenv("STOWAGE_SURVIVAL") != nullptr) mpi.may_have_lost_ranks();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool joined = false;
  try {
    return mpi.ends_with(train(options, rank, joined));
  } catch (...) {
    const stowage_status status = current_exception_status().first;
    // A job that cannot form fails alike on every rank: its first rank speaks, or who has waited in vain.
    if (!joined && (rank == 0 || status == STOWAGE_TIMEOUT)) show_error();
    return mpi.ends_with(status);
  }
}

int run(const Options& options) {
  stowage_trainer_options place{};
  set_place(options.place, 0, place);  // refuses malformed words while no other rank waits for this one
  if (options.embedded.empty()) return run_in_job(options);
  bool joined = false;
  return train(options, 0, joined);
}

}  // namespace

void add_trainer(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("trainer", "A stand-in training rank: receives, checks and times data as a trainer would");
  command->add_option("--embedded", options->embedded, "need no loader ranks: make the stream of this YAML file here");
  command->add_option("--replica", options->replica, "data-parallel rank (default: this trainer's rank; embedded: 0)");
  command->add_option(
      "--parallel", options->place.parallel,
      "sizes as tp=2,cp=2,dp=2,pp=2: place and replica by the rank in the job, tp fastest, then cp, dp, pp");
  command->add_option("--tensor-parallel", options->place.tensor, "place in the replica, as RANK/SIZE");
  command->add_option("--context-parallel", options->place.context, "place in the replica, as RANK/SIZE");
  command->add_option("--pipeline-parallel", options->place.pipeline, "place in the replica, as RANK/SIZE");
  command->add_option("--check-against", options->reference,
                      "compare all with the same stream made here by this YAML file, without context_parallel");
  command->add_option("--max-steps", options->max_steps, "leave after this many steps of this job");
  command->add_option("--resume-step", options->resume_step,
                      "go on with exactly this step (default: the newest checkpoint)");
  command->add_option("--save-every", options->save_every, "ask for a checkpoint each time so many steps are consumed");
  command->add_option("--record-digests", options->digests, "write lines 'step replica digest' to this file");
  command->add_option("--record", options->segments, "write a line for every delivered segment to this file");
  command->add_flag("--record-tokens", options->tokens, "with --record: the token ids too");
  command->add_option(
      "--record-history", options->history,
      "append a line 'step replica digest wait_ms seconds' to the file HISTORY.RANK as each step comes");
  command->add_option("--summary", options->summary, "write the waits for data as JSON to this file");
  command->add_option("--linear", options->linear, "cost of a segment of l tokens: LINEAR * l + QUADRATIC * l^2");
  command->add_option("--quadratic", options->quadratic, "see --linear");
  command->add_option("--seconds-per-cost", options->seconds_per_cost, "compute time of a unit of cost (default 0)");
  command->add_flag("--no-sync", options->no_sync, "do not meet the other trainers after each step");
  command->add_flag("--no-check", options->no_check, "take what comes unchecked (for timing)");
  command->add_option("--startup-seconds", options->startup_seconds, "longest wait for the job to form")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--acquire-seconds", options->acquire_seconds,
                   "longest wait for one step (default: limits.acquire_seconds of the configuration)")
      ->check(CLI::PositiveNumber);
  command->add_option("--sync-seconds", options->sync_seconds, "longest wait for the other trainers after a step")
      ->check(CLI::PositiveNumber);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
