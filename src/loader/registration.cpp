// SPDX-License-Identifier: Apache-2.0
#include "loader/registration.hpp"

#include <algorithm>
#include <cstring>

#include "base/narrow.hpp"
#include "deliver/protocol.hpp"
#include "loader/placement.hpp"
#include "mpi/request.hpp"

namespace stowage::loader {

std::vector<deliver::Register> gather_registrations(const mpi::Job& job, exchange::Team& team, mpi::Deadline deadline) {
  std::vector<deliver::Register> registered(job.trainer_ranks.size());
  exchange::together(team, [&] {
    if (team.rank() != 0) return;
    for (std::size_t heard = 0; heard < registered.size(); ++heard) {
      deliver::Register message;
      mpi::Request request = mpi::Request::receive(job.world.get(), std::as_writable_bytes(std::span(&message, 1)),
                                                   MPI_ANY_SOURCE, deliver::kTagRegister);
      request.wait([&] { team.idle(); }, deadline, "the registrations of all trainers");
      const auto place = std::ranges::lower_bound(job.trainer_ranks, request.source()) - job.trainer_ranks.begin();
      registered[static_cast<std::size_t>(place)] = message;
    }
  });
  const auto gathered = team.all_gather(team.rank() == 0 ? std::as_bytes(std::span(registered)) : ByteView{});
  std::memcpy(registered.data(), gathered.bytes.data(), gathered.bytes.size());
  return registered;
}

std::vector<std::uint32_t> replicas_of(const std::vector<deliver::Register>& registered, std::uint32_t replicas) {
  std::vector<std::uint32_t> chosen;
  std::vector<bool> served(replicas, false);
  for (std::size_t t = 0; t < registered.size(); ++t) {
    std::int32_t replica = registered[t].replica;
    if (replica == -1) {
      if (registered.size() != replicas) {
        fail(STOWAGE_MPI_ERROR,
             "expected as many trainers as replicas (data_parallel: {}) because trainer {} named no replica, found {} "
             "trainers; start {} trainers, change data_parallel, or set stowage_trainer_options.replica",
             replicas, t, registered.size(), replicas);
      }
      replica = narrow<std::int32_t>(t);
    }
    if (replica < 0 || static_cast<std::uint32_t>(replica) >= replicas) {
      fail(STOWAGE_MPI_ERROR, "trainer {} asked for replica {}, expected one in [0, {}) (data_parallel)", t, replica,
           replicas);
    }
    chosen.push_back(static_cast<std::uint32_t>(replica));
    served[chosen.back()] = true;
  }
  const auto missing = std::ranges::find(served, false);
  if (missing != served.end()) {
    fail(STOWAGE_MPI_ERROR, "replica {} of {} (data_parallel) has no trainer among the {} of the job",
         missing - served.begin(), replicas, registered.size());
  }
  return chosen;
}

std::vector<deliver::Part> parts_of(const std::vector<deliver::Register>& registered,
                                    const std::vector<std::uint32_t>& trainer_replicas, const config::Config& config) {
  const std::uint32_t slices = config.micro_batch.context_parallel;
  std::vector<deliver::Part> parts;
  std::vector<std::uint32_t> served(std::size_t{config.data_parallel} * slices, deliver::kNoRows);  // rows, by slice
  for (std::size_t t = 0; t < registered.size(); ++t) {
    const auto problem = deliver::problem_of(registered[t].coordinates, slices);
    if (problem) fail(STOWAGE_MPI_ERROR, "trainer {}: {}; correct its stowage_trainer_options", t, *problem);
    parts.push_back(deliver::part_of(registered[t].coordinates));
    const std::size_t slice = slices == 1 ? 0 : parts.back().slice;
    served[std::size_t{trainer_replicas[t]} * slices + slice] |= parts.back().rows;
  }
  for (std::size_t place = 0; place < served.size(); ++place) {
    if (served[place] == deliver::kAllRows) continue;
    fail(STOWAGE_MPI_ERROR,
         "no trainer gets the {} of replica {}, context parallel rank {}: expected one at the {} pipeline stage among "
         "the "
         "{} of the job; start it, or correct the ranks in stowage_trainer_options",
         (served[place] & deliver::kInputs) == 0 ? "tokens and positions" : "labels and loss mask", place / slices,
         place % slices, (served[place] & deliver::kInputs) == 0 ? "first" : "last", registered.size());
  }
  return parts;
}

std::vector<int> constructors_of(const std::vector<std::uint32_t>& trainer_replicas, std::uint32_t replicas,
                                 const mpi::Job& job, const std::vector<int>& working) {
  const std::vector<int> trainer_nodes = job.nodes_of(job.trainer_ranks);
  std::vector<int> replica_nodes(replicas);
  for (std::size_t t = trainer_replicas.size(); t-- > 0;) replica_nodes[trainer_replicas[t]] = trainer_nodes[t];
  std::vector<int> working_ranks;
  for (const int number : working) working_ranks.push_back(job.loader_ranks[static_cast<std::size_t>(number)]);
  std::vector<int> constructors = constructors_near(replica_nodes, job.nodes_of(working_ranks));
  for (int& constructor : constructors) constructor = working[static_cast<std::size_t>(constructor)];
  return constructors;
}

std::vector<deliver::Served> served_by(int me, const std::vector<int>& constructors,
                                       const std::vector<std::uint32_t>& trainer_replicas,
                                       const std::vector<deliver::Part>& parts, const mpi::Job& job,
                                       const deliver::JobInfo& info) {
  std::vector<deliver::Served> served;
  for (std::size_t t = 0; t < trainer_replicas.size(); ++t) {
    if (constructors[trainer_replicas[t]] != me) continue;
    deliver::Served& one = served.emplace_back();
    one.rank = job.trainer_ranks[t];
    const auto node_of = [&](int rank) { return job.nodes[static_cast<std::size_t>(rank)]; };
    one.same_node = node_of(one.rank) == node_of(job.loader_ranks[static_cast<std::size_t>(me)]);
    one.part = parts[t];
    one.job = info;
    one.job.replica = trainer_replicas[t];
    one.job.trainers = narrow<std::int32_t>(job.trainer_ranks.size());
    one.job.loaders = narrow<std::int32_t>(job.loader_ranks.size());
  }
  return served;
}

}  // namespace stowage::loader
