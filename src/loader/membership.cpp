// SPDX-License-Identifier: Apache-2.0
#include "loader/membership.hpp"

#include "base/hash.hpp"
#include "mpi/group.hpp"

namespace stowage::loader {

Membership::Membership(MPI_Comm world, std::vector<int> loader_ranks, int my_number)
    : world_(world),
      loader_ranks_(std::move(loader_ranks)),
      me_(my_number),
      lost_(loader_ranks_.size(), 0),
      heard_(loader_ranks_.size(), 0) {
  hear();
}

// A send that a lost rank never takes may not find its buffer gone.
Membership::~Membership() {
  std::erase_if(sending_, [](Sending& sending) { return sending.request.test(); });
  if (!sending_.empty()) static_cast<void>(new std::list<Sending>(std::move(sending_)));
}

void Membership::hear() {
  hearing_ = mpi::Request::receive(world_, std::as_writable_bytes(std::span(heard_)), MPI_ANY_SOURCE, kTag);
}

void Membership::declare(int number) {
  std::vector<std::uint8_t> known = lost_;
  known[static_cast<std::size_t>(number)] = 1;
  merge(known);
}

void Membership::check() {
  std::erase_if(sending_, [](Sending& sending) { return sending.request.test(); });
  while (hearing_.test()) {
    const std::vector<std::uint8_t> theirs = heard_;
    hear();
    merge(theirs);
  }
  if (lost(me_)) {
    throw Expelled(
        STOWAGE_PEER_LOST,
        fmt::format("the other loader ranks had no sign of life from loader rank {} (of the job's ranks) for too "
                    "long and went on without it; it ends now. If its host was only slow, raise "
                    "limits.peer_seconds",
                    loader_ranks_[static_cast<std::size_t>(me_)]));
  }
  if (grown_) throw LoadersLost();
}

void Membership::merge(const std::vector<std::uint8_t>& theirs) {
  bool grown = false;
  for (std::size_t n = 0; n < lost_.size(); ++n) {
    if (theirs[n] == 0 || lost_[n] != 0) continue;
    lost_[n] = 1;
    grown = true;
  }
  if (!grown) return;
  grown_ = true;
  tell_all();
}

void Membership::tell_all() {
  for (std::size_t n = 0; n < loader_ranks_.size(); ++n) {
    if (static_cast<int>(n) == me_) continue;
    Sending& sending = sending_.emplace_back();
    sending.lost = lost_;
    sending.request = mpi::Request::send(world_, std::as_bytes(std::span(sending.lost)), loader_ranks_[n], kTag);
  }
}

Membership::View Membership::view() {
  grown_ = false;
  View view;
  for (std::size_t n = 0; n < lost_.size(); ++n) {
    if (lost_[n] == 0) view.living.push_back(static_cast<int>(n));
  }
  // By the set alone, so that all who share it find each other. The lowest spaces belong to the first view.
  constexpr std::uint64_t kLowest = 2;
  constexpr std::uint64_t kPairs = mpi::Group::kSpaces / 2 - kLowest;
  view.space = static_cast<int>(2 * (kLowest + hash64(std::as_bytes(std::span(lost_))) % kPairs));
  return view;
}

}  // namespace stowage::loader
