// SPDX-License-Identifier: Apache-2.0
// The loaders as the pipeline sees them: a group of ranks with the few collective operations that a step needs. Two
// kinds: MpiTeam (ranks of the loaders' communicator) and SoloTeam (one process, no MPI needed), so that the embedded
// mode runs the very code that a cluster runs.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "mpi/rounds.hpp"

namespace stowage::exchange {

// Bytes of all ranks, in rank order.
struct Gathered {
  Bytes bytes;
  std::vector<std::uint64_t> begin;  // [ranks + 1]
  ByteView of(int rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return ByteView(bytes).subspan(begin[r], begin[r + 1] - begin[r]);
  }
};

// An error that every rank of the team throws alike: nobody need be told of it any more.
class SharedError : public Error {
 public:
  using Error::Error;
};

// What one rank contributes to an agreement.
struct Vote {
  Status status = STOWAGE_OK;  // this rank's outcome of its local work
  std::string message;         // if not OK
  Digest same;                 // must be the same on every rank (a plan's digest); zero where nothing is compared
  bool finished = false;       // this rank has nobody left to serve
  std::uint64_t progress = 0;  // steps that are delivered and released here
};

struct Agreement {
  bool all_finished = false;
  std::uint64_t least_progress = 0;  // the smallest `progress` of all ranks
};

// All members are Collective over the team: every rank calls them in the same order. None blocks inside MPI: each
// waits by polling and calls the idle hook meanwhile; once that has thrown, the team can only be destroyed. Not
// thread-safe.
class Team {
 public:
  virtual ~Team() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual MPI_Comm communicator() const noexcept = 0;  // of just these ranks; MPI_COMM_NULL where there is none

  // No rank returns alone: if any rank's status is not OK, every rank throws SharedError with the status and message of
  // the lowest such rank. If `same` differs between ranks, every rank throws SharedError with STOWAGE_INTERNAL_ERROR.
  virtual Agreement agree(const Vote& vote) = 0;

  virtual Gathered all_gather(ByteView mine) = 0;

  // Personalised exchange. send holds the parts for rank 0, 1, ... one after the other; sizes in bytes [ranks].
  // receive_sizes are known to the caller (every rank can compute them from the plan). Any size up to memory: split
  // into rounds where an int count of MPI would overflow.
  virtual void all_to_all(ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                          std::span<const std::uint64_t> receive_sizes) = 0;

  // From now on all_to_all goes by node (exchange/by_node.hpp). node_of_rank [size()] is the same on every rank: ranks
  // of equal numbers share a node. Without effect where one node holds all ranks, or each rank has a node of its own.
  virtual void route_by_node(std::span<const int> node_of_rank) = 0;

  // [size()] the messages of all_to_all and all_gather to each rank so far, those that are passed on included.
  virtual std::span<const mpi::Sent> sent() const noexcept = 0;

  // Called while waiting; for work that must go on, such as answering trainers. May be empty.
  void set_idle(std::function<void()> idle) { idle_ = std::move(idle); }

  // Calls the hook: for waits for the team that happen outside of it, such as those of a collective reader.
  void idle() const {
    if (idle_) idle_();
  }

 protected:
  std::function<void()> idle_;
};

// A team of the group's ranks. Its communicator stays the caller's, must outlive the team, and must not be used
// otherwise but by other groups. round_bytes bounds one message of an exchange; the same on every rank. Not collective.
std::unique_ptr<Team> make_mpi_team(mpi::Group group, std::size_t round_bytes = mpi::kRoundBytes);
std::unique_ptr<Team> make_solo_team();

// Runs `work` and then agrees: an exception on one rank becomes the same SharedError on all. For start-up and other
// places off the hot path. Collective.
void together(Team& team, const std::function<void()>& work);

}  // namespace stowage::exchange
