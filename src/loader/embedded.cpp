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

stowage_info info_of(const config::Config& config, const Catalogue& catalogue, std::int32_t replica) {
  deliver::JobInfo job = job_info(config, catalogue);
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

Embedded::Embedded(const std::string& config_path, std::int32_t replica, const deliver::Coordinates& coordinates)
    : config_(config::parse_or_throw(config::read_text(config_path), config_path)),
      team_(exchange::make_solo_team()),
      catalogue_(Catalogue::open_or_throw(config_, *team_)),
      info_(info_of(config_, catalogue_, replica)),
      pipeline_(config_, catalogue_, *team_, only(info_.replica, info_.replicas), from_heap,
                beginning(config_, catalogue_)),
      steps_(chosen_part(coordinates, config_)) {}

const deliver::StepView* Embedded::acquire(double) {
  if (ended_) return nullptr;
  steps_.require_room(info_.steps_held);
  Pipeline::Outcome outcome = pipeline_.next(false, 0);
  if (outcome.end) {
    ended_ = true;
    return nullptr;
  }
  steps_.arrive(std::move(outcome.blocks.front().block));
  return steps_.acquire();
}

}  // namespace stowage::loader
