// SPDX-License-Identifier: Apache-2.0
#include "mpi/roles.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "mpi/check.hpp"
#include "mpi/nodes.hpp"
#include "mpi/reduce.hpp"
#include "mpi/request.hpp"

namespace stowage::mpi {
namespace {

constexpr int kAbsent = -1;
constexpr int kTrainer = static_cast<int>(Role::trainer);
constexpr int kLoader = static_cast<int>(Role::loader);
constexpr Seconds kVerdictDelay{5.0};  // what rank 0's answer may take beyond the common timeout
constexpr std::size_t kRanksListed = 8;

std::vector<int> ranks_with(std::span<const int> roles, int role) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (roles[r] == role) ranks.push_back(narrow<int>(r));
  }
  return ranks;
}

std::string listed(std::span<const int> ranks) {
  const auto shown = ranks.first(std::min(ranks.size(), kRanksListed));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (shown.size() < ranks.size()) text += fmt::format(" and {} more", ranks.size() - shown.size());
  return text;
}

// At rank 0: the role of every rank that came in time, kAbsent for the others; told to all that came, so that they
// judge the job alike.
std::vector<int> collect_roles(MPI_Comm world, int size, int mine, Deadline deadline) {
  std::vector<int> roles(static_cast<std::size_t>(size), kAbsent);
  std::vector<int> said(roles.size(), kAbsent);
  std::vector<Request> requests;
  said[0] = mine;
  for (int r = 1; r < size; ++r) {
    requests.push_back(
        Request::receive(world, std::as_writable_bytes(std::span(&said[static_cast<std::size_t>(r)], 1)), r, kRoleTag));
  }
  Backoff backoff;
  while (true) {
    bool complete = true;
    for (Request& request : requests) complete = request.test() && complete;
    if (complete || deadline.passed()) break;
    backoff.pause();
  }
  roles[0] = mine;
  for (std::size_t r = 1; r < roles.size(); ++r) {
    if (!requests[r - 1].active()) roles[r] = said[r];
  }

  std::vector<Request> answers;
  for (int r = 1; r < size; ++r) {
    if (roles[static_cast<std::size_t>(r)] == kAbsent) continue;
    answers.push_back(Request::send(world, std::as_bytes(std::span(roles)), r, kRoleTag));
  }
  for (Request& answer : answers) answer.wait({}, deadline.extended(kVerdictDelay), "a rank to take the list of roles");
  return roles;
}

std::vector<int> learn_roles(MPI_Comm world, int size, int mine, Deadline deadline) {
  std::vector<int> roles(static_cast<std::size_t>(size), kAbsent);
  Request hello = Request::send(world, bytes_of(mine), 0, kRoleTag);
  Request answer = Request::receive(world, std::as_writable_bytes(std::span(roles)), 0, kRoleTag);
  answer.wait(
      {}, deadline.extended(kVerdictDelay),
      "rank 0's list of the ranks of the job (check that every rank, also rank 0, runs 'stowage serve' or a trainer "
      "that opens stowage)");
  hello.wait({}, deadline.extended(kVerdictDelay), "rank 0 to take this rank's role");
  return roles;
}

void require_all(std::span<const int> roles, Seconds timeout) {
  const auto absent = ranks_with(roles, kAbsent);
  if (absent.empty()) return;
  fail(STOWAGE_TIMEOUT,
       "waited {:.1f} s for all {} ranks of the job to start stowage; {} did not: rank {}. Check that each rank runs "
       "'stowage serve' or a trainer that opens stowage, and that none of them failed before",
       timeout.count(), roles.size(), absent.size(), listed(absent));
}

void require_both(const Job& job) {
  if (job.loader_ranks.empty()) {
    fail(STOWAGE_MPI_ERROR,
         "all {} ranks of the job are trainers and none is a loader: start loader ranks beside the trainers, for "
         "example mpirun -n 4 TRAINER : -n 2 stowage serve CONFIG",
         job.trainer_ranks.size());
  }
  if (job.trainer_ranks.empty()) {
    fail(STOWAGE_MPI_ERROR,
         "all {} ranks of the job are loaders and none is a trainer: start trainer ranks beside the loaders, for "
         "example mpirun -n 4 TRAINER : -n 2 stowage serve CONFIG",
         job.loader_ranks.size());
  }
}

}  // namespace

Job split_job(MPI_Comm world, Role mine, Seconds timeout) {
  if (!usable()) fail(STOWAGE_MPI_ERROR, "MPI is not usable: call this between MPI_Init and MPI_Finalize");
  const Deadline deadline = Deadline::after(timeout);
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(world, &size), "MPI_Comm_size");

  const int role = static_cast<int>(mine);
  const auto roles = rank == 0 ? collect_roles(world, size, role, deadline) : learn_roles(world, size, role, deadline);
  require_all(roles, timeout);
  Job job;
  job.role = mine;
  job.trainer_ranks = ranks_with(roles, kTrainer);
  job.loader_ranks = ranks_with(roles, kLoader);
  require_both(job);

  job.world = Communicator::duplicate(world, {}, deadline.extended(kVerdictDelay));
  const Idle in_time = [&] {
    if (deadline.passed())
      fail(STOWAGE_TIMEOUT, "waited {:.1f} s for the other ranks to begin the job", timeout.count());
  };
  job.nodes = nodes_of_ranks(job.world.get(), in_time);
  // MPI makes a communicator by waiting inside the library. All come here first, so that nobody spins there for the
  // rest.
  everywhere(job.world.get(), true, in_time);
  const auto& peers = mine == Role::trainer ? job.trainer_ranks : job.loader_ranks;
  job.peers = Communicator::of_ranks(job.world.get(), peers, kRoleTag);
  return job;
}

}  // namespace stowage::mpi
