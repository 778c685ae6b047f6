// SPDX-License-Identifier: Apache-2.0
// Lines between loader ranks that the kernel cuts when a process ends: a loader's death is known within milliseconds,
// long before a silence is (heartbeat.hpp).
#pragma once

#include <chrono>
#include <vector>

#include "exchange/team.hpp"

namespace stowage::loader {

// TCP connections. Each rank has one with each of the kWatched ranks before and behind it in the ring of numbers, so
// with every other one in teams of up to twice as many and one. For ranks of its own node a rank also keeps a handle of
// the process (pidfd), by which it can end a process that is stopped. One thread.
class Lifelines {
 public:
  static constexpr int kWatched = 8;

  // `team`: all loader ranks, by number. node_of [ranks]. Where a connection cannot be made within some seconds, says
  // so in the log and does without. Collective over the team.
  Lifelines(exchange::Team& team, const std::vector<int>& node_of);
  ~Lifelines();
  Lifelines(const Lifelines&) = delete;
  Lifelines& operator=(const Lifelines&) = delete;

  // Ranks whose process has ended without leave() and that were not told of before. Looks at most every 200
  // microseconds; else returns nothing at once.
  std::vector<int> ended();

  // Ends the process of that rank with SIGKILL if it runs on this node, whatever state it is in.
  void fence(int rank) noexcept;

  // From now on the end of this process is no loss to the others.
  void leave() noexcept;

 private:
  struct Line {
    int rank = 0;
    int socket = -1;
    bool leaving = false;  // it has said so
  };
  struct Contact;

  int listen_here(Contact& contact) const;
  void connect_lower(const std::vector<Contact>& contacts, const std::vector<int>& node_of);
  void accept_higher(int listener, const Contact& me);
  void hold_processes(const std::vector<Contact>& contacts);
  bool watched(int other) const noexcept;

  int me_;
  int size_;
  std::vector<Line> lines_;
  std::vector<int> processes_;  // pidfd by rank; -1: of another node, or not to be had
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace stowage::loader
