// SPDX-License-Identifier: Apache-2.0
// One loader rank from start-up to the end of the run, the take-over from lost ranks included.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/ledger.hpp"
#include "config/config.hpp"
#include "deliver/server.hpp"
#include "exchange/team.hpp"
#include "loader/alarm.hpp"
#include "loader/catalogue.hpp"
#include "loader/crew.hpp"
#include "loader/heartbeat.hpp"
#include "loader/lifelines.hpp"
#include "loader/membership.hpp"
#include "loader/pipeline.hpp"
#include "loader/resume.hpp"
#include "loader/saving.hpp"
#include "loader/serve.hpp"
#include "loader/shadowing.hpp"
#include "mpi/failures.hpp"
#include "mpi/roles.hpp"

namespace stowage::loader {

// Loader ranks go by their number (crew.hpp) but in MPI calls. One thread.
class LoaderRank {
 public:
  // Collective over `world`, as serve().
  LoaderRank(MPI_Comm world, const ServeOptions& options);

  // Serves the run to its end. Errors are thrown before the trainers know of them: see tell().
  ServeSummary run();

  // Every trainer that can still be reached learns why this run ends, and so do the other loaders unless they know.
  void tell(Status status, const std::string& message, bool loaders_know) noexcept;

  bool first() const noexcept { return number_ == crew_.active.front(); }  // who reports

 private:
  // Start-up. Nobody may be lost in it.
  void start();
  void open_sources();
  void choose_start(const std::vector<deliver::Register>& registered);
  void place_trainers(const std::vector<deliver::Register>& registered);
  std::vector<deliver::Served> served_here();
  void make_pipeline(const checkpoint::IteratorState& start);

  // The run, as long as nobody is lost.
  void work();
  void go_forward();
  void follow();
  ServeSummary finish();
  void leave();
  std::vector<ServedSource> served_sources(std::vector<checkpoint::SourceCount> counts) const;

  // Waiting.
  void idle();
  void lose(int number, const std::string& how);
  void save_last();
  template <typename Done>
  void serve_until(Done&& done);

  // The loss of a rank (take_over.cpp).
  void take_over();
  void fence_lost();
  void keep_statistics();
  void join_the_living(const Membership::View& view);
  Crew agree_on_crew(const Membership::View& view);
  void form(const Membership::View& view, const Crew& crew);

  bool survives() const noexcept { return config_.shadows > 0; }
  bool works() const noexcept { return crew_.works(number_); }
  int number_of(int world_rank) const noexcept;

  const ServeOptions& options_;
  mpi::Deadline deadline_;
  mpi::Job job_;
  int number_;
  std::vector<int> nodes_;       // of the loader ranks
  std::vector<int> not_served_;  // trainers, by this rank
  Crew crew_;

  // What is waited with.
  Alarm alarm_;
  Saving saving_;
  std::unique_ptr<Heartbeat> heartbeat_;
  std::unique_ptr<Membership> membership_;  // these two only where lost ranks are replaced
  std::unique_ptr<Lifelines> lifelines_;
  mpi::Failures failures_;  // what MPI knows

  config::Config config_;
  std::unique_ptr<exchange::Team> all_;   // every loader rank that is left
  std::unique_ptr<exchange::Team> team_;  // those that work; null in a shadow
  std::unique_ptr<Shadowing> shadowing_;
  std::unique_ptr<Catalogue> catalogue_;
  Start start_;
  std::unique_ptr<Pipeline> pipeline_;  // of a rank that works
  std::unique_ptr<checkpoint::Ledger> ledger_;
  checkpoint::StepDelta rest_;  // drawn after the last step
  std::unique_ptr<deliver::Server> server_;

  std::vector<std::uint32_t> trainer_replicas_;  // [trainers]
  std::vector<deliver::Part> trainer_parts_;     // [trainers]
  std::uint64_t step_ = 0;                       // the next one to make
  PlanStatistics plan_statistics_;               // of pipelines that are gone
  RankStatistics rank_statistics_;
};

template <typename Done>
void LoaderRank::serve_until(Done&& done) {
  const auto limit = mpi::Seconds(config_.limits.trainer_seconds);
  mpi::Deadline deadline = mpi::Deadline::after(limit);
  std::uint64_t released = server_->released();
  mpi::Backoff backoff;
  while (!done()) {
    idle();
    saving_.progress(*ledger_);
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

}  // namespace stowage::loader
