// SPDX-License-Identifier: Apache-2.0
// Collective operations on bytes of any length: MPI counts and displacements are ints, so large ones go in rounds.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "mpi/group.hpp"
#include "mpi/request.hpp"
#include "mpi/wait.hpp"

namespace stowage::mpi {

inline constexpr std::size_t kRoundBytes = std::size_t{1} << 30;

// Messages sent to one rank, and their bytes.
struct Sent {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(std::size_t message) noexcept {
    ++messages;
    bytes += message;
  }
};

// How a collective operation waits and how much it moves at a time. round_bytes must be the same on every rank, from 1
// to kRoundBytes.
struct Rounds {
  Idle idle;
  std::size_t round_bytes = kRoundBytes;
  std::span<Sent> sent{};  // [ranks] where exchanges count their messages; empty: they do not
};

// Operations of groups (Group::tag). Those from kFirstFree on are for others.
enum Operation : int { kBroadcast = 1, kAllGather, kAllToAll, kReduce, kGather, kFirstFree = 16 };

// Begin a transfer in as many messages as its length asks for, none where it is empty; appended to `requests`.
void send_cut(const Group& group, ByteView bytes, std::size_t to, int operation, const Rounds& rounds,
              std::vector<Request>& requests);
void receive_cut(const Group& group, ByteSpan bytes, std::size_t from, int operation, const Rounds& rounds,
                 std::vector<Request>& requests);

// All are collective over the group, poll, and throw as mpi::poll does. They consist of messages between two ranks, so
// that a wait can be given up at any moment and the ranks that are left can form another group. When `idle` ends a
// wait, the group is of no further use, and the buffers of all_to_all must live until MPI is finalised.

// data has the same size on every rank.
void broadcast(const Group& group, int root, ByteSpan data, const Rounds& rounds);

// Bytes of every rank in rank order: sizes [ranks] is known to all, all holds their sum. By Bruck's algorithm: each
// rank sends log2(ranks) messages, rounded up.
void all_gather(const Group& group, ByteView mine, std::span<const std::uint64_t> sizes, ByteSpan all,
                const Rounds& rounds);

// One value of each rank.
template <typename T>
requires std::is_trivially_copyable_v<T> std::vector<T> all_gather(const Group& group, const T& mine,
                                                                   const Rounds& rounds) {
  std::vector<T> all(static_cast<std::size_t>(group.size()));
  const std::vector<std::uint64_t> sizes(all.size(), sizeof mine);
  all_gather(group, std::as_bytes(std::span(&mine, 1)), sizes, std::as_writable_bytes(std::span(all)), rounds);
  return all;
}

// Bytes of every rank on rank `root` alone; elsewhere `all` is empty.
void gather(const Group& group, int root, ByteView mine, std::span<const std::uint64_t> sizes, ByteSpan all,
            const Rounds& rounds);

// Personalised exchange: parts for (from) rank 0, 1, ... one after the other; sizes in bytes [ranks]. A rank's sizes
// match what its peers give. round_bytes bounds one message; a round holds one message a peer each way.
void all_to_all(const Group& group, ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                std::span<const std::uint64_t> receive_sizes, const Rounds& rounds);

}  // namespace stowage::mpi
