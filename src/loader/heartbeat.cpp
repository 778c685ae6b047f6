// SPDX-License-Identifier: Apache-2.0
#include "loader/heartbeat.hpp"

#include <algorithm>

namespace stowage::loader {
namespace {

// A sign is given so often within the limit, but no more rarely than each few seconds.
constexpr double kSignsInLimit = 8;
constexpr mpi::Seconds kLongestPause{5.0};
constexpr std::byte kSign{1};  // static, so that MPI may hold it to the end

}  // namespace

Heartbeat::Heartbeat(MPI_Comm world, const std::vector<int>& loader_ranks, int my_rank, mpi::Seconds limit)
    : world_(world), alone_(loader_ranks.size() == 1), limit_(limit), last_(Clock::now()) {
  const auto me = std::ranges::find(loader_ranks, my_rank);
  next_ = me + 1 == loader_ranks.end() ? loader_ranks.front() : *(me + 1);
  previous_ = me == loader_ranks.begin() ? loader_ranks.back() : *(me - 1);
  if (alone_) return;
  hearing_ = mpi::Request::receive(world_, std::span(&heard_, 1), previous_, kTag);
  send(last_);
}

void Heartbeat::send(Clock::time_point now) {
  sending_ = mpi::Request::send(world_, std::span(&kSign, 1), next_, kTag);
  sent_ = now;
}

void Heartbeat::set_limit(mpi::Seconds limit) noexcept {
  limit_ = limit;
  silence_ = mpi::Seconds(0);
}

void Heartbeat::beat() {
  if (alone_) return;
  const Clock::time_point now = Clock::now();
  const mpi::Seconds pause = std::min(limit_ / kSignsInLimit, kLongestPause);
  silence_ += std::min<mpi::Seconds>(now - last_, pause);
  last_ = now;
  if (now - sent_ >= pause && sending_.test()) send(now);
  while (hearing_.test()) {
    silence_ = mpi::Seconds(0);
    hearing_ = mpi::Request::receive(world_, std::span(&heard_, 1), previous_, kTag);
  }
  if (silence_ <= limit_) return;
  throw PeerSilent(
      fmt::format(
          "loader rank {} (of the job's ranks) gave no sign of life for {:.0f} s: its process is stopped or gone, "
          "or its host cannot be reached. If its file system can stall for so long, raise limits.peer_seconds",
          previous_, limit_.count()),
      previous_);
}

}  // namespace stowage::loader
