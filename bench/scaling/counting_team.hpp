// SPDX-License-Identifier: Apache-2.0
// A team that passes everything on and counts what passes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "exchange/team.hpp"

namespace stowage::bench {

struct TeamCounts {
  std::uint64_t gathering_messages = 0;  // that this rank sent
  std::uint64_t gathered_bytes = 0;      // that this rank received, sizes included
  std::uint64_t agreements = 0;
};

class CountingTeam final : public exchange::Team {
 public:
  explicit CountingTeam(std::unique_ptr<exchange::Team> team)
      : team_(std::move(team)), exchanged_(team_->sent().size()) {}

  int rank() const noexcept override { return team_->rank(); }
  int size() const noexcept override { return team_->size(); }
  MPI_Comm communicator() const noexcept override { return team_->communicator(); }
  void route_by_node(std::span<const int> node_of_rank) override { team_->route_by_node(node_of_rank); }
  std::span<const mpi::Sent> sent() const noexcept override { return exchanged_; }  // by all_to_all alone

  exchange::Agreement agree(const exchange::Vote& vote) override {
    ++counts_.agreements;
    return team_->agree(vote);
  }
  exchange::Gathered all_gather(ByteView mine) override {
    const std::vector<mpi::Sent> before = sent_by_team();
    exchange::Gathered gathered = team_->all_gather(mine);
    for (std::size_t r = 0; r < before.size(); ++r) {
      counts_.gathering_messages += team_->sent()[r].messages - before[r].messages;
    }
    counts_.gathered_bytes += gathered.bytes.size() + sizeof(std::uint64_t) * static_cast<std::size_t>(size());
    return gathered;
  }
  void all_to_all(ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                  std::span<const std::uint64_t> receive_sizes) override {
    const std::vector<mpi::Sent> before = sent_by_team();
    team_->all_to_all(send, send_sizes, receive, receive_sizes);
    for (std::size_t r = 0; r < before.size(); ++r) {
      exchanged_[r].messages += team_->sent()[r].messages - before[r].messages;
      exchanged_[r].bytes += team_->sent()[r].bytes - before[r].bytes;
    }
  }

  const TeamCounts& counts() const noexcept { return counts_; }

 private:
  std::vector<mpi::Sent> sent_by_team() const { return {team_->sent().begin(), team_->sent().end()}; }

  std::unique_ptr<exchange::Team> team_;
  std::vector<mpi::Sent> exchanged_;  // [ranks]
  TeamCounts counts_;
};

}  // namespace stowage::bench
