// SPDX-License-Identifier: Apache-2.0
// The loader's side of delivery: keeps prepared steps of the replicas it serves, sends each when its trainer has asked
// for it, and hears what was released.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "deliver/aligned_buffer.hpp"
#include "deliver/protocol.hpp"
#include "mpi/request.hpp"
#include "mpi/wait.hpp"

namespace stowage::deliver {

// A trainer that a loader rank serves.
struct Served {
  int rank = 0;  // in the world communicator
  JobInfo job;
};

// Never blocks: progress() moves everything that can move and is called from every wait of the loader. One thread.
class Server {
 public:
  // `world` is borrowed. Welcomes every trainer of the list. `steps_ahead` blocks a replica may wait here.
  Server(MPI_Comm world, std::vector<Served> trainers, std::uint32_t steps_ahead);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void progress();

  bool has_room() const noexcept;     // for one more step of every replica
  bool all_closed() const noexcept;   // every trainer has left; true without trainers
  std::uint64_t released() const noexcept;  // steps that every trainer has given back; the largest value if it serves none
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

  void offer(std::uint32_t replica, AlignedBuffer block);  // the replica's next step
  void end(std::uint64_t steps);                           // no step follows the `steps` offered
  void fail(Status status, const std::string& message);    // every trainer still here gets this at once

  // Runs progress() until every trainer has left; false if that takes longer.
  bool wait_closed(mpi::Deadline deadline);

 private:
  struct Trainer;
  struct Sending;

  void hear();
  void send_ready(Trainer& trainer);
  void send(Trainer& trainer, Notice notice, std::shared_ptr<const AlignedBuffer> payload);

  MPI_Comm world_;
  std::uint32_t steps_ahead_;
  std::vector<std::unique_ptr<Trainer>> trainers_;
  std::list<Sending> sending_;
  Pull heard_;
  mpi::Request hearing_;
  std::uint64_t bytes_sent_ = 0;
};

// Tells trainers that no server has welcomed why start-up failed. Returns when they have taken the message or the
// deadline has passed.
void refuse(MPI_Comm world, const std::vector<int>& trainer_ranks, Status status, const std::string& message,
            mpi::Deadline deadline);

}  // namespace stowage::deliver
