// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "base/assert.hpp"
#include "base/narrow.hpp"
#include "exchange/by_node.hpp"
#include "exchange/team.hpp"
#include "mpi/check.hpp"
#include "mpi/reduce.hpp"
#include "mpi/rounds.hpp"

namespace stowage::exchange {
namespace {

constexpr std::size_t kLongestMessage = std::size_t{64} << 10;

// What one reduction by minimum tells of all votes. A digest is reduced together with its complement, whose minimum is
// the complement of the digest's maximum.
struct Ballot {
  std::uint64_t first_failing;  // number of ranks where none fails
  std::uint64_t high;
  std::uint64_t not_high;
  std::uint64_t low;
  std::uint64_t not_low;
  std::uint64_t finished;
  std::uint64_t progress;

  bool same() const noexcept { return high == ~not_high && low == ~not_low; }
};
using BallotWords = std::array<std::uint64_t, sizeof(Ballot) / sizeof(std::uint64_t)>;

struct FailureHeader {
  std::int32_t status = 0;
  std::uint32_t message_bytes = 0;
};

class MpiTeam final : public Team {
 public:
  MpiTeam(mpi::Group group, std::size_t round_bytes)
      : group_(std::move(group)),
        round_bytes_(round_bytes),
        rank_(group_.rank()),
        size_(group_.size()),
        sent_(static_cast<std::size_t>(size_)) {
    STOWAGE_ASSERT(kAssertLight, round_bytes >= 1 && round_bytes <= mpi::kRoundBytes, "rounds of {} bytes",
                   round_bytes);
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  MPI_Comm communicator() const noexcept override { return group_.space() == 0 ? group_.comm() : MPI_COMM_NULL; }

  Agreement agree(const Vote& vote) override {
    const Ballot all = reduce(vote);
    if (all.first_failing < static_cast<std::uint64_t>(size_)) throw_failure(narrow<int>(all.first_failing), vote);
    if (!all.same()) throw_disagreement(vote.same);
    return {all.finished != 0, all.progress};
  }

  Gathered all_gather(ByteView mine) override {
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<std::uint64_t> places(ranks);
    for (std::size_t r = 0; r < ranks; ++r) places[r] = sizeof(std::uint64_t);
    const std::uint64_t size = mine.size();
    std::vector<std::uint64_t> sizes(ranks);
    mpi::all_gather(group_, bytes_of(size), places, std::as_writable_bytes(std::span(sizes)), rounds());

    Gathered gathered;
    gathered.begin.push_back(0);
    for (const std::uint64_t s : sizes)
      gathered.begin.push_back(checked_add(gathered.begin.back(), s, "gathered bytes"));
    gathered.bytes.resize(gathered.begin.back());
    mpi::all_gather(group_, mine, sizes, gathered.bytes, rounds());
    return gathered;
  }

  void all_to_all(ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                  std::span<const std::uint64_t> receive_sizes) override {
    if constexpr (kAssertComm <= STOWAGE_ASSERT_LEVEL) check_sizes(send_sizes, receive_sizes);
    if (nodes_) {
      all_to_all_by_node(group_, *nodes_, send, send_sizes, receive, receive_sizes, rounds());
    } else {
      mpi::all_to_all(group_, send, send_sizes, receive, receive_sizes, rounds());
    }
  }

  void route_by_node(std::span<const int> node_of_rank) override {
    STOWAGE_ASSERT(kAssertLight, node_of_rank.size() == sent_.size(), "nodes of {} ranks in a team of {}",
                   node_of_rank.size(), sent_.size());
    NodeMap nodes(node_of_rank);
    if (nodes.nodes() > 1 && nodes.nodes() < nodes.ranks()) nodes_.emplace(std::move(nodes));
  }

  std::span<const mpi::Sent> sent() const noexcept override { return sent_; }

 private:
  mpi::Rounds rounds() { return {idle_, round_bytes_, sent_}; }

  Ballot reduce(const Vote& vote) {
    const Ballot mine{.first_failing = static_cast<std::uint64_t>(vote.status == STOWAGE_OK ? size_ : rank_),
                      .high = vote.same.high,
                      .not_high = ~vote.same.high,
                      .low = vote.same.low,
                      .not_low = ~vote.same.low,
                      .finished = vote.finished ? std::uint64_t{1} : std::uint64_t{0},
                      .progress = vote.progress};
    auto words = std::bit_cast<BallotWords>(mine);
    mpi::all_reduce_min(group_, words, idle_);
    return std::bit_cast<Ballot>(words);
  }

  [[noreturn]] void throw_failure(int failing, const Vote& vote) {
    FailureHeader header;
    std::string message;
    if (rank_ == failing) {
      message = vote.message.substr(0, kLongestMessage);
      header = {static_cast<std::int32_t>(vote.status), narrow<std::uint32_t>(message.size())};
    }
    mpi::broadcast(group_, failing, std::as_writable_bytes(std::span(&header, 1)), rounds());
    message.resize(header.message_bytes);
    mpi::broadcast(group_, failing, std::as_writable_bytes(std::span(message)), rounds());
    throw SharedError(static_cast<Status>(header.status), message);
  }

  [[noreturn]] void throw_disagreement(const Digest& mine) {
    const Gathered all = all_gather(bytes_of(mine));
    const auto of = [&](int rank) {
      Digest digest;
      std::memcpy(&digest, all.of(rank).data(), sizeof digest);
      return digest;
    };
    int other = 1;
    while (of(other) == of(0)) ++other;
    throw SharedError(STOWAGE_INTERNAL_ERROR,
                      fmt::format("loader ranks must compute the same, but rank 0 has digest {} and rank {} has {}. "
                                  "Please report this with the configuration; do all ranks run the same version and "
                                  "see the same files?",
                                  of(0).hex(), other, of(other).hex()));
  }

  void check_sizes(std::span<const std::uint64_t> send_sizes, std::span<const std::uint64_t> receive_sizes) {
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<mpi::Sent> counted = sent_;
    const Gathered all = all_gather(std::as_bytes(send_sizes));
    sent_ = std::move(counted);  // checking is no part of the exchange
    Vote vote;
    for (std::size_t r = 0; r < ranks && vote.status == STOWAGE_OK; ++r) {
      std::uint64_t sent = 0;
      std::memcpy(&sent, all.of(narrow<int>(r)).data() + static_cast<std::size_t>(rank_) * sizeof sent, sizeof sent);
      if (sent == receive_sizes[r]) continue;
      vote.status = STOWAGE_INTERNAL_ERROR;
      vote.message =
          fmt::format("rank {} expects {} bytes from rank {}, which sends {}", rank_, receive_sizes[r], r, sent);
    }
    agree(vote);
  }

  mpi::Group group_;
  std::size_t round_bytes_;
  int rank_;
  int size_;
  std::optional<NodeMap> nodes_;  // where exchanges go by node
  std::vector<mpi::Sent> sent_;   // [ranks]
};

}  // namespace

std::unique_ptr<Team> make_mpi_team(mpi::Group group, std::size_t round_bytes) {
  return std::make_unique<MpiTeam>(std::move(group), round_bytes);
}

}  // namespace stowage::exchange
