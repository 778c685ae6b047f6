// SPDX-License-Identifier: Apache-2.0
#include "loader/serve.hpp"

#include <chrono>

#include "base/log.hpp"
#include "loader/alarm.hpp"
#include "loader/heartbeat.hpp"
#include "loader/job_info.hpp"
#include "loader/pipeline.hpp"
#include "loader/registration.hpp"
#include "loader/shared_config.hpp"
#include "loader/threads.hpp"

namespace stowage::loader {
namespace {

// How long a loader that ends waits for others to take its last word. Less than failed ranks wait for each other
// (cli/mpi_session): the launcher may end the job when the first of them has gone, and the message is yet to be shown.
constexpr mpi::Seconds kFarewell{8.0};

class LoaderRank {
 public:
  LoaderRank(MPI_Comm world, const ServeOptions& options)
      : options_(options),
        deadline_(mpi::Deadline::after(mpi::Seconds(options.startup_seconds))),
        job_(mpi::split_job(world, mpi::Role::loader, mpi::Seconds(options.startup_seconds))),
        team_(exchange::make_mpi_team(job_.peers.get())),
        alarm_(job_.world.get(), job_.loader_ranks, job_.world.rank()),
        not_served_(job_.trainer_ranks),
        heartbeat_(job_.world.get(), job_.loader_ranks, job_.world.rank(), mpi::Seconds(options.startup_seconds)) {
    share_cores(job_.nodes, job_.world.rank());
    team_->set_idle([this] { idle(); });
  }

  bool first() const noexcept { return team_->rank() == 0; }

  ServeSummary run() {
    start();
    const auto began = std::chrono::steady_clock::now();
    steps();
    ServeSummary summary = finish();
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return summary;
  }

  // Every trainer that can still be reached learns why this run ends, and so do the other loaders unless they know.
  void tell(Status status, const std::string& message, bool loaders_know) noexcept {
    try {
      const auto deadline = mpi::Deadline::after(kFarewell);
      if (!loaders_know) alarm_.raise(status, message);
      if (server_) server_->fail(status, message);
      // The trainers of the lost loader rank have nobody else to tell them.
      const bool noticed = status == STOWAGE_PEER_LOST && !loaders_know;
      if (noticed || (first() && !server_)) {
        const auto answer_mine = [this] {
          if (server_) server_->progress();
        };
        deliver::refuse(job_.world.get(), not_served_, status, message, answer_mine, deadline);
      }
      if (server_ && !server_->wait_closed({}, deadline)) log().warn("some trainers did not leave after the error");
    } catch (const std::exception& error) {
      log().error("could not tell the trainers: {}", error.what());
    }
  }

 private:
  void idle() {
    alarm_.check();
    heartbeat_.beat();
    if (server_) server_->progress();
  }

  // Serves trainers until `done` holds. They may take their time, but not for ever.
  template <typename Done>
  void serve_until(Done&& done) {
    const auto limit = mpi::Seconds(config_.limits.trainer_seconds);
    mpi::Deadline deadline = mpi::Deadline::after(limit);
    std::uint64_t released = server_->released();
    mpi::Backoff backoff;
    while (!done()) {
      idle();
      if (server_->released() != released) {
        released = server_->released();
        deadline = mpi::Deadline::after(limit);
      }
      if (deadline.passed()) {
        fail(STOWAGE_PEER_LOST,
             "the slowest trainer that loader rank {} (of the job's ranks) serves gave back no step for {:.0f} s after "
             "{} steps: its process is stopped or gone, its host cannot be reached, or what it does between two steps "
             "takes longer than limits.trainer_seconds",
             job_.world.rank(), limit.count(), released);
      }
      backoff.pause();
    }
  }

  void start() {
    const std::vector<deliver::Register> registered = gather_registrations(job_, *team_, deadline_);
    config_ = share_config(options_.config_path, *team_);
    catalogue_ = std::make_unique<Catalogue>(Catalogue::open_or_throw(config_, *team_));
    if (config_.exchange == config::Exchange::by_node) team_->route_by_node(job_.nodes_of(job_.loader_ranks));
    Constructors constructors;
    std::vector<deliver::Served> served;
    exchange::together(*team_, [&] {
      const std::vector<std::uint32_t> replicas = replicas_of(registered, config_.data_parallel);
      const std::vector<deliver::Part> parts = parts_of(registered, replicas, config_);
      constructors = constructors_of(replicas, config_.data_parallel, job_);
      served = served_by(team_->rank(), constructors, replicas, parts, job_, job_info(config_, *catalogue_));
    });
    const checkpoint::IteratorState start = beginning(config_, *catalogue_);
    pipeline_ = std::make_unique<Pipeline>(
        config_, *catalogue_, *team_, std::move(constructors),
        [this](std::uint32_t replica, std::size_t bytes) { return server_->allocate(replica, bytes); }, start);
    ledger_ = std::make_unique<checkpoint::Ledger>(draw_stream(config_, *catalogue_, start.draws), start);
    for (const deliver::Served& one : served) std::erase(not_served_, one.rank);
    exchange::together(*team_, [&] {
      const bool shared = config_.delivery == config::Delivery::automatic;
      server_ = std::make_unique<deliver::Server>(job_.world.get(), std::move(served), config_.prefetch.steps,
                                                  shared ? config_.limits.shared_bytes : 0);
    });
    heartbeat_.set_limit(mpi::Seconds(config_.limits.peer_seconds));  // opening the sources may have taken longer
  }

  void steps() {
    const std::uint64_t all = count_steps(config_, *catalogue_).value_or(0);
    for (std::uint64_t made = 0;;) {
      serve_until([&] { return server_->has_room(made); });
      Pipeline::Outcome outcome = pipeline_->next(server_->all_closed(), server_->released());
      ledger_->commit(outcome.least_progress);
      if (outcome.end) {
        server_->end(made);
        rest_ = std::move(outcome.delta);
      }
      if (outcome.end || outcome.abandoned) return;
      ledger_->produced(std::move(outcome.delta));
      for (Produced& produced : outcome.blocks) server_->offer(produced.replica, std::move(produced.block));
      server_->progress();
      ++made;
      if (first() && options_.on_step) options_.on_step(made, all);
    }
  }

  ServeSummary finish() {
    serve_until([&] { return server_->all_closed(); });
    server_->wait_closed([this] { idle(); }, mpi::Deadline::after(kFarewell));
    exchange::Vote vote;
    vote.progress = server_->released();
    ledger_->commit(team_->agree(vote).least_progress);

    ServeSummary summary;
    summary.first_rank = first();
    summary.plan = pipeline_->plan_statistics();
    RankStatistics mine = pipeline_->rank_statistics();
    mine.bytes_sent = server_->bytes_sent();
    mine.bytes_shared = server_->bytes_shared();
    mine.bytes_delivered = mine.bytes_sent + mine.bytes_shared;
    mine.bytes_if_copied = server_->bytes_if_copied();
    summary.ranks = sum_over(*team_, mine);
    summary.committed = ledger_->state();
    summary.sources = served_sources(summary.committed.counts);
    summary.loaders = team_->size();
    summary.trainers = static_cast<int>(job_.trainer_ranks.size());
    return summary;
  }

  // With `counts` of the steps delivered, and what the end of the stream dropped.
  std::vector<ServedSource> served_sources(std::vector<checkpoint::SourceCount> counts) const {
    for (const checkpoint::StepDelta::Count& one : rest_.counts) counts[one.source] += one.count;
    const std::vector<mixture::SourceSpec> specs = source_specs(config_, *catalogue_);
    double total = 0;
    for (const mixture::SourceSpec& spec : specs) total += spec.weight;
    std::vector<ServedSource> sources;
    for (std::size_t s = 0; s < specs.size(); ++s) {
      sources.push_back({specs[s].name, specs[s].sequences, specs[s].weight / total, counts[s]});
    }
    return sources;
  }

  const ServeOptions& options_;
  mpi::Deadline deadline_;
  mpi::Job job_;
  std::unique_ptr<exchange::Team> team_;
  Alarm alarm_;
  std::vector<int> not_served_;  // trainers, by this rank
  Heartbeat heartbeat_;
  config::Config config_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<checkpoint::Ledger> ledger_;
  checkpoint::StepDelta rest_;  // drawn at the end of the stream, of no step
  std::unique_ptr<deliver::Server> server_;
};

}  // namespace

ServeSummary serve(MPI_Comm world, const ServeOptions& options, bool* report_here) {
  int world_rank = 0;
  MPI_Comm_rank(world, &world_rank);
  std::optional<LoaderRank> rank;
  try {
    rank.emplace(world, options);
  } catch (const Error& error) {
    *report_here = world_rank == 0 || error.status() == STOWAGE_TIMEOUT;
    throw;
  }
  *report_here = rank->first();
  try {
    return rank->run();
  } catch (const exchange::SharedError& error) {
    rank->tell(error.status(), error.what(), true);
    throw;
  } catch (const HeardError& error) {
    *report_here = rank->first() && error.status() != STOWAGE_PEER_LOST;
    rank->tell(error.status(), error.what(), true);
    throw;
  } catch (...) {
    const auto [status, message] = current_exception_status();
    *report_here = rank->first() || status == STOWAGE_PEER_LOST;
    rank->tell(status, message, false);
    throw Error(status, message);
  }
}

}  // namespace stowage::loader
