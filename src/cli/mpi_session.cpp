// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "cli/watchdog.hpp"

namespace stowage::cli {
namespace {

// What ranks that have failed, or have perhaps lost others, wait for each other at the end, so that a launcher that
// ends the job at the first failed rank does not cut off the messages of the others.
constexpr std::chrono::seconds kLastRank{10};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

// Before MPI_Init only the launcher's variables tell who is who.
bool first_of_host() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  }
  return true;
}

// Said once a host.
std::string no_start(double seconds) {
  if (!first_of_host()) return "";
  return fmt::format(
      "MPI_Init did not return on {} within {:.0f} s: some rank of the job did not start, or its host "
      "cannot be reached; see the launcher's own messages",
      host_name(), seconds);
}

}  // namespace

MpiSession::MpiSession(double startup_seconds) {
  const Watchdog watchdog(std::chrono::duration<double>(startup_seconds), STOWAGE_TIMEOUT, no_start(startup_seconds));
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
}

void MpiSession::leave_unfinalised() {
  std::fflush(nullptr);
  _exit(STOWAGE_OK);
}

MpiSession::~MpiSession() {
  std::optional<Watchdog> watchdog;
  if (status_ != STOWAGE_OK || may_have_lost_ranks_) watchdog.emplace(kLastRank, status_, "");
  MPI_Finalize();
}

}  // namespace stowage::cli
