// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/assert.hpp"
#include "exchange/team.hpp"

namespace stowage::exchange {
namespace {

class SoloTeam final : public Team {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  MPI_Comm communicator() const noexcept override { return MPI_COMM_NULL; }

  Agreement agree(const Vote& vote) override {
    if (vote.status != STOWAGE_OK) throw SharedError(vote.status, vote.message);
    return {vote.finished, vote.progress};
  }

  Gathered all_gather(ByteView mine) override { return {Bytes(mine.begin(), mine.end()), {0, mine.size()}}; }

  void all_to_all(ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                  std::span<const std::uint64_t> receive_sizes) override {
    STOWAGE_ASSERT(kAssertLight, send_sizes.size() == 1 && receive_sizes.size() == 1, "{} and {} sizes for one rank",
                   send_sizes.size(), receive_sizes.size());
    STOWAGE_ASSERT(kAssertLight,
                   send.size() == receive.size() && send.size() == send_sizes[0] && receive.size() == receive_sizes[0],
                   "sizes {} and {}, buffers of {} and {} bytes", send_sizes[0], receive_sizes[0], send.size(),
                   receive.size());
    std::copy(send.begin(), send.end(), receive.begin());
  }

  void route_by_node(std::span<const int> /*node_of_rank*/) override {}
  std::span<const mpi::Sent> sent() const noexcept override { return {&nothing_, 1}; }

 private:
  mpi::Sent nothing_;
};

}  // namespace

std::unique_ptr<Team> make_solo_team() {
  return std::make_unique<SoloTeam>();
}

}  // namespace stowage::exchange
