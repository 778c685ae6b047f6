// SPDX-License-Identifier: Apache-2.0
#include "bench/support/measure.hpp"

#include <cstdio>
#include <fstream>

#include "base/error.hpp"

namespace stowage::bench {
namespace {

// Ends with a barrier too: where ranks share cores, some begin late, and only then does the first one's clock span all.
double slowest_seconds(MPI_Comm comm, const std::function<void()>& run, int calls) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int call = 0; call < calls; ++call) run();
  MPI_Barrier(comm);
  const double mine = (MPI_Wtime() - begin) / calls;
  double slowest = 0.0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

}  // namespace

nlohmann::json compare(MPI_Comm comm, const std::string& name, std::uint64_t bytes,
                       const std::vector<Candidate>& candidates, Repetitions repetitions, int calls) {
  std::vector<std::vector<double>> seconds(candidates.size());
  for (int turn = 0; turn < repetitions.warm_up + repetitions.measured; ++turn) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t c = (static_cast<std::size_t>(turn) + i) % candidates.size();
      const double taken = slowest_seconds(comm, candidates[c].run, calls);
      if (turn >= repetitions.warm_up) seconds[c].push_back(taken);
    }
  }
  nlohmann::json result{{"case", name}, {"bytes", bytes}, {"candidates", nlohmann::json::array()}};
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    result["candidates"].push_back(
        {{"name", candidates[c].name}, {"ours", candidates[c].ours}, {"seconds", seconds[c]}});
  }
  return result;
}

void write_report(MPI_Comm comm, const std::string& bench, const nlohmann::json& results, const std::string& file) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank != 0) return;
  const nlohmann::json report{{"bench", bench}, {"ranks", ranks}, {"results", results}};
  const std::string text = report.dump(2) + "\n";
  if (file.empty()) {
    std::fputs(text.c_str(), stdout);
    return;
  }
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) fail(STOWAGE_IO_ERROR, "cannot write {}", file);
}

}  // namespace stowage::bench
