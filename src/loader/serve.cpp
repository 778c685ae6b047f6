// SPDX-License-Identifier: Apache-2.0
#include "loader/serve.hpp"

#include "loader/loader_rank.hpp"

namespace stowage::loader {

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
  try {
    return rank->run();
  } catch (const Expelled&) {
    *report_here = true;
    throw;
  } catch (const exchange::SharedError& error) {
    *report_here = rank->first();
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
