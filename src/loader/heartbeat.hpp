// SPDX-License-Identifier: Apache-2.0
// Signs of life between loader ranks, so that a wait for another one ends when its process or host is gone, and only
// then: a rank that waits for a slow trainer goes on giving them.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mpi/request.hpp"
#include "mpi/tags.hpp"

namespace stowage::loader {

// Status STOWAGE_PEER_LOST.
class PeerSilent : public Error {
 public:
  PeerSilent(const std::string& message, int silent) : Error(STOWAGE_PEER_LOST, message), rank(silent) {}
  int rank;  // in the world communicator
};

// The ranks stand in a ring: each gives signs to the next one and watches the one before it. Wherever a network breaks,
// each part of the ring then has a rank that notices; it tells the others (Alarm). Messages on the world communicator;
// not collective. One thread.
class Heartbeat {
 public:
  // loader_ranks: world ranks of all loaders, this one's included. limit: longest silence; the same on every rank.
  Heartbeat(MPI_Comm world, const std::vector<int>& loader_ranks, int my_rank, mpi::Seconds limit);

  // Call it right after something that all loader ranks do together: signs are given as often as the limit wants them,
  // and silence under the limit before does not count.
  void set_limit(mpi::Seconds limit) noexcept;

  // For idle hooks. Throws PeerSilent when the rank before this one has been silent for longer than the limit.
  // The time in which this rank did not call it (it was reading, or stopped) is not counted.
  void beat();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kTag = mpi::kTagHeartbeat;

  void send(Clock::time_point now);

  MPI_Comm world_;
  bool alone_;
  int next_;
  int previous_;
  mpi::Seconds limit_;
  mpi::Seconds silence_{0};
  Clock::time_point last_;  // beat() was called
  Clock::time_point sent_;
  std::byte heard_{};
  mpi::Request sending_;
  mpi::Request hearing_;
};

}  // namespace stowage::loader
