// SPDX-License-Identifier: Apache-2.0
#include "loader/loader_rank.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "loader/job_info.hpp"
#include "loader/registration.hpp"
#include "loader/shared_config.hpp"
#include "loader/threads.hpp"
#include "mpi/outlive.hpp"

namespace stowage::loader {
namespace {

// How long a loader that ends waits for others to take its last word. Less than failed ranks wait for each other
// (cli/mpi_session): the launcher may end the job when the first of them has gone, and the message is yet to be shown.
constexpr mpi::Seconds kFarewell{8.0};

// Set by launchers that let the other ranks live when one dies: stowage-run, mpirun --enable-recovery.
bool launched_to_survive() {
  return std::getenv("STOWAGE_SURVIVAL") != nullptr || std::getenv("OMPI_MCA_orte_enable_recovery") != nullptr;
}

// The statistics of the rank that has made the most steps.
PlanStatistics most_complete(exchange::Team& team, const PlanStatistics& mine) {
  const exchange::Gathered gathered = team.all_gather(bytes_of(mine));
  PlanStatistics most;
  for (int rank = 0; rank < team.size(); ++rank) {
    PlanStatistics one;
    std::memcpy(&one, gathered.of(rank).data(), sizeof(one));
    if (one.steps > most.steps) most = one;
  }
  return most;
}

}  // namespace

LoaderRank::LoaderRank(MPI_Comm world, const ServeOptions& options)
    : options_(options),
      deadline_(mpi::Deadline::after(mpi::Seconds(options.startup_seconds))),
      job_(mpi::split_job(world, mpi::Role::loader, mpi::Seconds(options.startup_seconds))),
      number_(job_.peers.rank()),
      nodes_(job_.nodes_of(job_.loader_ranks)),
      not_served_(job_.trainer_ranks),
      crew_(first_crew(job_.peers.size(), 0)),
      alarm_(job_.world.get(), job_.loader_ranks, job_.world.rank()),
      saving_(job_.world.get(), options.ended),
      heartbeat_(std::make_unique<Heartbeat>(job_.world.get(), job_.loader_ranks, job_.world.rank(),
                                             mpi::Seconds(options.startup_seconds))),
      failures_(job_.peers.get()),
      all_(exchange::make_mpi_team(job_.peers.get())) {
  share_cores(job_.nodes, job_.world.rank());
  all_->set_idle([this] { idle(); });
}

int LoaderRank::number_of(int world_rank) const noexcept {
  return static_cast<int>(std::ranges::find(job_.loader_ranks, world_rank) - job_.loader_ranks.begin());
}

ServeSummary LoaderRank::run() {
  try {
    start();
  } catch (const LoadersLost&) {
    fail(STOWAGE_PEER_LOST, "a loader rank was lost while the job started; only later can it be replaced");
  }
  const auto began = std::chrono::steady_clock::now();
  while (true) {
    try {
      works() ? work() : follow();
      ServeSummary summary = finish();
      summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      return summary;
    } catch (const LoadersLost&) {
      take_over();
    }
  }
}

void LoaderRank::start() {
  const std::vector<deliver::Register> registered = gather_registrations(job_, *all_, deadline_);
  config_ = share_config(options_.config_path, *all_);
  exchange::together(*all_, [&] { crew_ = first_crew(job_.peers.size(), config_.shadows); });
  if (survives()) {
    mpi::ignore_broken_pipes();
    if (first() && !launched_to_survive()) {
      log().warn(
          "shadows: {}, but the launcher seems to end the whole job when a rank dies, so that no shadow ever takes "
          "over: start the job with stowage-run",
          config_.shadows);
    }
    lifelines_ = std::make_unique<Lifelines>(*all_, nodes_);
    membership_ = std::make_unique<Membership>(job_.world.get(), job_.loader_ranks, number_);
    form(membership_->view(), crew_);
  } else {
    team_ = exchange::make_mpi_team(job_.peers.get());
    team_->set_idle([this] { idle(); });
    if (config_.exchange == config::Exchange::by_node) team_->route_by_node(nodes_);
    shadowing_ = std::make_unique<Shadowing>(job_.peers.get(), crew_.active, crew_.shadows, [this] { idle(); });
  }
  open_sources();
  choose_start(registered);
  place_trainers(registered);

  ledger_ = std::make_unique<checkpoint::Ledger>(draw_stream(config_, *catalogue_, start_.state.draws), start_.state);
  make_pipeline(start_.state);
  heartbeat_->set_limit(mpi::Seconds(config_.limits.peer_seconds));  // opening the sources may have taken longer
}

// Those that work open them, and tell the shadows.
void LoaderRank::open_sources() {
  exchange::together(*all_, [&] {
    if (team_) catalogue_ = std::make_unique<Catalogue>(Catalogue::open_or_throw(config_, *team_));
  });
  if (crew_.shadows.empty()) return;
  const exchange::Gathered told = all_->all_gather(first() ? catalogue_->told() : Bytes{});
  if (!team_) catalogue_ = std::make_unique<Catalogue>(Catalogue::from_told(told.of(crew_.active.front())));
}

void LoaderRank::choose_start(const std::vector<deliver::Register>& registered) {
  Resume resume = options_.resume;
  resume.directory = config_.checkpoint.directory;
  exchange::together(*all_, [&] {
    std::vector<std::int64_t> steps;
    for (const deliver::Register& one : registered) steps.push_back(one.resume_step);
    resume = agreed_with(resume, steps);
  });
  start_ = start_of(config_, *catalogue_, *all_, resume);
  exchange::together(*all_, [&] {
    if (first()) saving_.write_here(config_, start_);
  });
}

void LoaderRank::place_trainers(const std::vector<deliver::Register>& registered) {
  exchange::together(*all_, [&] {
    trainer_replicas_ = replicas_of(registered, config_.data_parallel);
    trainer_parts_ = parts_of(registered, trainer_replicas_, config_);
    crew_.server = constructors_of(trainer_replicas_, config_.data_parallel, job_, crew_.active);
    const bool shared = config_.delivery == config::Delivery::automatic;
    server_ = std::make_unique<deliver::Server>(job_.world.get(), served_here(), config_.prefetch.steps,
                                                shared ? config_.limits.shared_bytes : 0);
  });
}

// The trainers of replicas that fall to this rank and that it does not serve yet.
std::vector<deliver::Served> LoaderRank::served_here() {
  std::vector<int> servers = crew_.server;
  for (std::uint32_t replica = 0; server_ && replica < servers.size(); ++replica) {
    if (server_->serves(replica)) servers[replica] = kNobody;
  }
  std::vector<deliver::Served> served =
      served_by(number_, servers, trainer_replicas_, trainer_parts_, job_, job_info(config_, *catalogue_, start_));
  for (const deliver::Served& one : served) std::erase(not_served_, one.rank);
  return served;
}

void LoaderRank::make_pipeline(const checkpoint::IteratorState& start) {
  step_ = start.step;
  if (!team_) return;
  pipeline_ = std::make_unique<Pipeline>(
      config_, *catalogue_, *team_, crew_.constructors(),
      [this](std::uint32_t replica, std::size_t bytes) { return server_->allocate(replica, bytes); }, start);
}

void LoaderRank::work() {
  go_forward();
  const std::uint64_t all = count_steps(config_, *catalogue_, start_.state).value_or(0);
  const auto needed = [this](std::uint32_t replica, std::uint64_t step) { return server_->needs(replica, step); };
  while (true) {
    serve_until([&] { return server_->has_room(step_); });
    Pipeline::Outcome outcome = pipeline_->next(server_->all_closed(), server_->released(), needed);
    ledger_->commit(outcome.least_progress);
    if (outcome.end || outcome.abandoned) {
      shadowing_->end();
      if (outcome.end) server_->end(step_);
      rest_ = std::move(outcome.delta);
      return;
    }
    shadowing_->explain(step_, outcome.delta, ledger_->committed());
    ledger_->produced(std::move(outcome.delta));
    ++step_;
    for (Produced& produced : outcome.blocks) server_->offer(produced.replica, std::move(produced.block));
    server_->progress();
    saving_.progress(*ledger_);
    if (first() && options_.on_step) options_.on_step(step_, all);
  }
}

// To the step that the trainers begin with, if none of it was saved.
void LoaderRank::go_forward() {
  loader::go_forward(*pipeline_, *ledger_, start_.first_step,
                     [this](std::uint64_t step, const checkpoint::StepDelta& delta) {
                       shadowing_->explain(step, delta, ledger_->committed());
                     });
  step_ = ledger_->produced_steps();
}

void LoaderRank::follow() {
  while (auto explained = shadowing_->hear()) {
    ledger_->produced(std::move(explained->delta));
    ledger_->commit(explained->committed);
    step_ = explained->step + 1;
    shadowing_->acknowledge(explained->step);
  }
}

ServeSummary LoaderRank::finish() {
  serve_until([&] { return server_->all_closed(); });
  server_->wait_closed([this] { idle(); }, mpi::Deadline::after(kFarewell));
  exchange::Vote vote;
  vote.progress = server_->released();
  ledger_->commit(all_->agree(vote).least_progress);
  exchange::together(*all_, [&] {
    if (first()) saving_.finish(*ledger_);
  });

  keep_statistics();
  ServeSummary summary;
  summary.first_rank = first();
  summary.plan = most_complete(*all_, plan_statistics_);
  RankStatistics mine = rank_statistics_;
  mine.bytes_sent = server_->bytes_sent();
  mine.bytes_shared = server_->bytes_shared();
  mine.bytes_delivered = mine.bytes_sent + mine.bytes_shared;
  mine.bytes_if_copied = server_->bytes_if_copied();
  summary.ranks = sum_over(*all_, mine);
  summary.committed = ledger_->state();
  summary.sources = served_sources(summary.committed.counts);
  summary.loaders = all_->size();
  summary.lost = static_cast<int>(crew_.lost);
  summary.trainers = static_cast<int>(job_.trainer_ranks.size());
  leave();
  return summary;
}

// Nobody goes while another still needs it; a rank that is lost now has nothing left to do.
void LoaderRank::leave() {
  try {
    all_->agree({});
  } catch (const LoadersLost&) {
    fence_lost();
  }
  if (lifelines_) lifelines_->leave();
}

// With `counts` of the steps delivered, and what the end of the stream dropped.
std::vector<ServedSource> LoaderRank::served_sources(std::vector<checkpoint::SourceCount> counts) const {
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

void LoaderRank::idle() {
  alarm_.check();
  saving_.check(server_.get());
  try {
    heartbeat_->beat();
  } catch (const PeerSilent& silent) {
    if (!survives()) throw;
    lose(number_of(silent.rank), silent.what());
  }
  if (lifelines_) {
    const auto ended = [this](int number) {
      lose(number, fmt::format("the process of loader rank {} (of the job's ranks) has ended",
                               job_.loader_ranks[static_cast<std::size_t>(number)]));
    };
    std::ranges::for_each(lifelines_->ended(), ended);
    std::ranges::for_each(failures_.fresh(), ended);
  }
  if (membership_) membership_->check();
  if (server_) server_->progress();
}

void LoaderRank::lose(int number, const std::string& how) {
  if (membership_->lost(number)) return;
  log().warn("{}; the others go on without it", how);
  membership_->declare(number);
}

void LoaderRank::save_last() {
  try {
    saving_.finish(*ledger_);
  } catch (const Error& error) {
    log().error("{}", error.what());
  }
}

void LoaderRank::tell(Status status, const std::string& message, bool loaders_know) noexcept {
  try {
    const bool shadows_know = crew_.shadows.empty() || !first();
    const bool preempted = status == STOWAGE_PREEMPTED;
    // Trainers then have their own state to save, in a time that only they know.
    const auto deadline =
        mpi::Deadline::after(preempted ? std::max(kFarewell, mpi::Seconds(config_.limits.trainer_seconds)) : kFarewell);
    if (!loaders_know || !shadows_know) alarm_.raise(status, message);
    if (server_) server_->fail(status, message);
    if (preempted && ledger_) save_last();
    // The trainers of a lost loader rank have nobody else to tell them.
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

}  // namespace stowage::loader
