// SPDX-License-Identifier: Apache-2.0
#include "loader/embedded.hpp"

#include "loader/job_info.hpp"

namespace stowage::loader {
namespace {

std::uint32_t chosen_replica(std::int32_t replica, const config::Config& config) {
  if (replica == -1) return 0;
  if (replica < 0 || static_cast<std::uint32_t>(replica) >= config.data_parallel) {
    fail(STOWAGE_INVALID_ARGUMENT, "replica must be in [0, {}) (data_parallel of {}) or -1, got {}",
         config.data_parallel, config.file, replica);
  }
  return static_cast<std::uint32_t>(replica);
}

deliver::Part chosen_part(const deliver::Coordinates& coordinates, const config::Config& config) {
  const auto problem = deliver::problem_of(coordinates, config.micro_batch.context_parallel);
  if (problem) fail(STOWAGE_INVALID_ARGUMENT, "{}: {}", config.file, *problem);
  return deliver::part_of(coordinates);
}

stowage_info info_of(const config::Config& config, const Catalogue& catalogue, const Start& start,
                     std::int32_t replica) {
  deliver::JobInfo job = job_info(config, catalogue, start);
  job.replica = chosen_replica(replica, config);
  job.trainers = 1;
  return job.info();
}

Constructors only(std::uint32_t replica, std::uint32_t replicas) {
  Constructors constructors(replicas, kNobody);
  constructors[replica] = 0;
  return constructors;
}

}  // namespace

Embedded::Embedded(const std::string& config_path, std::int32_t replica, const deliver::Coordinates& coordinates,
                   std::int64_t resume_step)
    : config_(config::parse_or_throw(config::read_text(config_path), config_path)),
      team_(exchange::make_solo_team()),
      catalogue_(Catalogue::open_or_throw(config_, *team_)),
      start_(start_of(config_, catalogue_, *team_, resume_from(config_, resume_step))),
      info_(info_of(config_, catalogue_, start_, replica)),
      pipeline_(config_, catalogue_, *team_, only(info_.replica, info_.replicas), from_heap, start_.state),
      ledger_(draw_stream(config_, catalogue_, start_.state.draws), start_.state),
      steps_(chosen_part(coordinates, config_)) {
  go_forward(pipeline_, ledger_, start_.first_step);
  ledger_.commit(start_.first_step);
  steps_.start_at(start_.first_step);
}

Checkpoints& Embedded::checkpoints() {
  if (config_.checkpoint.directory.empty()) {
    fail(STOWAGE_UNSUPPORTED, "{} has no checkpoint.directory, so no checkpoint can be written", config_.file);
  }
  if (!checkpoints_) checkpoints_ = std::make_unique<Checkpoints>(config_.checkpoint, start_);
  return *checkpoints_;
}

void Embedded::save(std::uint64_t step) {
  if (saves_.ask(step)) checkpoints().request(step);
  checkpoints().progress(ledger_);
}

std::optional<Status> Embedded::saved(std::uint64_t step) {
  if (checkpoints_) {
    checkpoints_->progress(ledger_);
    for (const Checkpoints::Outcome& outcome : checkpoints_->take_outcomes())
      saves_.settle(outcome.step, outcome.status);
  }
  return saves_.answer(step);
}

void Embedded::end_saved() {
  if (!config_.checkpoint.directory.empty()) checkpoints().finish(ledger_);
  fail(STOWAGE_PREEMPTED, "the run was ended from outside; {}",
       config_.checkpoint.directory.empty() ? "there is no checkpoint.directory to save it in"
                                            : fmt::format("it is saved at step {}", ledger_.committed()));
}

const deliver::StepView* Embedded::acquire(double) {
  if (preempted_) end_saved();
  if (ended_) return nullptr;
  steps_.require_room(info_.steps_held);
  Pipeline::Outcome outcome = pipeline_.next(false, 0);
  if (outcome.end) {
    ended_ = true;
    return nullptr;
  }
  ledger_.produced(std::move(outcome.delta));
  steps_.arrive(std::move(outcome.blocks.front().block));
  return steps_.acquire();
}

void Embedded::release(const stowage_step& step) {
  steps_.release(step);
  ledger_.commit(steps_.released());
}

}  // namespace stowage::loader
