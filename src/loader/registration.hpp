// SPDX-License-Identifier: Apache-2.0
// Which trainer gets which replica's data, and from which loader rank.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "config/config.hpp"
#include "deliver/server.hpp"
#include "exchange/team.hpp"
#include "mpi/roles.hpp"
#include "mpi/wait.hpp"

namespace stowage::loader {

// What every trainer asked for, in the order of job.trainer_ranks. The first loader rank hears it from the trainers and
// tells the other loaders. Collective over the loaders; throws STOWAGE_TIMEOUT on all of them.
std::vector<deliver::Register> gather_registrations(const mpi::Job& job, exchange::Team& team, mpi::Deadline deadline);

// The replica of every trainer. Pure. Throws STOWAGE_MPI_ERROR unless every replica has a trainer and every trainer a
// replica.
std::vector<std::uint32_t> replicas_of(const std::vector<deliver::Register>& registered, std::uint32_t replicas);

// What every trainer gets of its replica's steps. Pure. Throws STOWAGE_MPI_ERROR where coordinates are wrong or other
// than the configuration's context_parallel, and where a slice of a replica's rows has no trainer to go to.
std::vector<deliver::Part> parts_of(const std::vector<deliver::Register>& registered,
                                    const std::vector<std::uint32_t>& trainer_replicas, const config::Config& config);

// The constructors of a job, as numbers among its loader ranks: each replica near its first trainer (placement.hpp), by
// one of the `working` ones. Pure.
std::vector<int> constructors_of(const std::vector<std::uint32_t>& trainer_replicas, std::uint32_t replicas,
                                 const mpi::Job& job, const std::vector<int>& working);

// The trainers whose replicas `constructors` ([replicas] number of a loader rank) gives to loader rank `me`.
std::vector<deliver::Served> served_by(int me, const std::vector<int>& constructors,
                                       const std::vector<std::uint32_t>& trainer_replicas,
                                       const std::vector<deliver::Part>& parts, const mpi::Job& job,
                                       const deliver::JobInfo& info);

}  // namespace stowage::loader
