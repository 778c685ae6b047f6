// SPDX-License-Identifier: Apache-2.0
// Team::all_to_all against the bare calls of MPI with the same sizes.
//
//   mpirun -n 4 bench_exchange --json exchange.json && bench/compare exchange.json
#include <mpi.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/narrow.hpp"
#include "base/text.hpp"
#include "bench/support/bench_main.hpp"
#include "bench/support/measure.hpp"
#include "exchange/team.hpp"
#include "mpi/check.hpp"

namespace stowage::bench {
namespace {

struct Options {
  std::string json;
  std::uint64_t largest = std::uint64_t{8} << 20;  // bytes a pair
  Repetitions repetitions;
};

// One rank's view of an exchange, in the forms that ours and MPI's want it.
struct Traffic {
  std::vector<std::uint64_t> send_sizes, receive_sizes;
  std::vector<int> send_counts, receive_counts, send_places, receive_places;
  Bytes send, receive;

  // sizes: [sender * ranks + receiver]
  Traffic(const std::vector<std::uint64_t>& sizes, int ranks, int rank) {
    const auto n = static_cast<std::size_t>(ranks);
    const auto me = static_cast<std::size_t>(rank);
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (std::size_t r = 0; r < n; ++r) {
      send_sizes.push_back(sizes[me * n + r]);
      receive_sizes.push_back(sizes[r * n + me]);
      send_counts.push_back(narrow<int>(send_sizes[r]));
      receive_counts.push_back(narrow<int>(receive_sizes[r]));
      send_places.push_back(narrow<int>(sent));
      receive_places.push_back(narrow<int>(received));
      sent += send_sizes[r];
      received += receive_sizes[r];
    }
    send.resize(sent, std::byte{1});
    receive.resize(received);
  }
};

std::vector<Candidate> candidates_for(Traffic& traffic, exchange::Team& team, MPI_Comm bare) {
  const auto ours = [&] { team.all_to_all(traffic.send, traffic.send_sizes, traffic.receive, traffic.receive_sizes); };
  const auto blocking = [&traffic, bare] {
    mpi::check(MPI_Alltoallv(traffic.send.data(), traffic.send_counts.data(), traffic.send_places.data(), MPI_BYTE,
                             traffic.receive.data(), traffic.receive_counts.data(), traffic.receive_places.data(),
                             MPI_BYTE, bare),
               "MPI_Alltoallv");
  };
  const auto non_blocking = [&traffic, bare] {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Ialltoallv(traffic.send.data(), traffic.send_counts.data(), traffic.send_places.data(), MPI_BYTE,
                              traffic.receive.data(), traffic.receive_counts.data(), traffic.receive_places.data(),
                              MPI_BYTE, bare, &request),
               "MPI_Ialltoallv");
    mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  };
  return {{"all_to_all", true, ours}, {"MPI_Alltoallv", false, blocking}, {"MPI_Ialltoallv", false, non_blocking}};
}

void bench_exchange(const Options& options) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const auto team = exchange::make_mpi_team(own);
  const std::size_t pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);

  nlohmann::json results = nlohmann::json::array();
  const auto measure = [&](const std::string& name, const std::vector<std::uint64_t>& sizes) {
    Traffic traffic(sizes, ranks, rank);
    std::uint64_t total = 0;
    for (const std::uint64_t size : sizes) total += size;
    const auto calls = static_cast<int>(std::clamp<std::uint64_t>((std::uint64_t{16} << 20) / (total + 1), 1, 200));
    results.push_back(compare(MPI_COMM_WORLD, name, total, candidates_for(traffic, *team, MPI_COMM_WORLD),
                              options.repetitions, calls));
  };
  for (std::uint64_t size = 1024; size <= options.largest; size *= 8) {
    measure(human_bytes(size) + " a pair", std::vector<std::uint64_t>(pairs, size));
  }
  // As payload goes: a few packs from each reader to each constructor, some pairs with nothing.
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> uneven(pairs);
  for (std::uint64_t& size : uneven) size = random() % 4 == 0 ? 0 : random() % (options.largest / 4);
  measure("uneven, up to " + human_bytes(options.largest / 4), uneven);

  write_report(MPI_COMM_WORLD, "exchange", results, options.json);
  MPI_Comm_free(&own);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  using namespace stowage::bench;
  Options options;
  CLI::App app("Compares the loaders' exchange with MPI_Alltoallv and MPI_Ialltoallv");
  app.add_option("--json", options.json, "write the report here instead of to standard output");
  app.add_option("--largest", options.largest, "bytes a pair of ranks in the largest case")->capture_default_str();
  app.add_option("--repetitions", options.repetitions.measured, "measured runs a candidate")->capture_default_str();
  app.add_option("--warm-up", options.repetitions.warm_up, "runs before them")->capture_default_str();
  return run(app, argc, argv, [&] { bench_exchange(options); });
}
