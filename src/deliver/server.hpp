// SPDX-License-Identifier: Apache-2.0
// The loader's side of delivery: puts prepared steps of the replicas it serves where their trainers find them, in
// shared memory on its own node and by message elsewhere, and learns what was released.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <map>
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
  int rank = 0;            // in the world communicator
  bool same_node = false;  // as the loader rank
  JobInfo job;
  Part part;  // what it gets of its replica's steps; by message it is sent only that
};

// Never blocks: progress() moves everything that can move and is called from every wait of the loader. One thread.
class Server {
 public:
  // `world` is borrowed. Welcomes every trainer of the list; the first step offered is their job.first_step. A
  // replica's steps are prepared while no trainer of it has more than job.steps_held + steps_ahead of them unreleased.
  // shared_bytes: most shared memory a replica; 0: messages only. Where the system gives no shared memory, says so once
  // and sends messages.
  Server(MPI_Comm world, std::vector<Served> trainers, std::uint32_t steps_ahead, std::uint64_t shared_bytes = 0);

  // Takes over the trainers of replicas that another rank has served until it was lost: welcomes those that have not
  // left. The first step offered of these replicas will be `first_step`, which no trainer may have released.
  // generation: higher than that of all connections of these trainers so far.
  void adopt(std::vector<Served> trainers, std::uint64_t first_step, std::uint32_t generation);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void progress();

  bool has_room(std::uint64_t step) const noexcept;  // for that step of every replica that needs it
  bool serves(std::uint32_t replica) const noexcept;
  bool needs(std::uint32_t replica, std::uint64_t step) const noexcept;  // false: it was offered before
  bool all_closed() const noexcept;  // every trainer has left; true without trainers
  std::uint64_t released()
      const noexcept;               // steps that every trainer has given back; the largest value if it serves none
  bool preempted() const noexcept;  // a trainer that reads a ring wants the run to end
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }      // in messages: each trainer its part
  std::uint64_t bytes_shared() const noexcept { return bytes_shared_; }  // in shared memory: one copy for all trainers
  std::uint64_t bytes_if_copied() const noexcept { return bytes_if_copied_; }  // had each trainer its own copy of all

  // Memory to build the replica's next block in: its trainers' shared memory if it has a place there, else the heap.
  AlignedBuffer allocate(std::uint32_t replica, std::size_t bytes);

  void offer(std::uint32_t replica, AlignedBuffer block);  // the replica's next step
  void end(std::uint64_t steps);                           // the stream has so many; called again after adopt()
  void fail(Status status, const std::string& message);    // every trainer still here gets this at once

  // Runs progress() and `idle` until every trainer has left; false if that takes longer.
  bool wait_closed(const mpi::Idle& idle, mpi::Deadline deadline);

 private:
  using Payload = std::shared_ptr<const AlignedBuffer>;
  struct Replica;
  struct Trainer;
  struct Sending;

  SharedRings* make_rings(const std::vector<Served>& trainers, std::uint64_t first_step);
  void hear();
  void obey(Trainer& trainer, const Pull& pull);
  void send_ready(Trainer& trainer);
  void let_go(Replica& replica);
  void send(Trainer& trainer, Notice notice, Payload payload);
  Replica& of(std::uint32_t replica, std::uint64_t first_step);
  void close(Trainer& trainer, std::uint64_t released);

  MPI_Comm world_;
  std::uint32_t steps_ahead_;
  std::uint64_t shared_bytes_;
  std::vector<std::unique_ptr<SharedRings>> rings_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<std::unique_ptr<Trainer>> trainers_;
  std::map<int, std::uint64_t> left_;  // trainers that have left, whoever served them, with what they had released
  std::list<Sending> sending_;
  Pull heard_;
  mpi::Request hearing_;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_shared_ = 0;
  std::uint64_t bytes_if_copied_ = 0;
};

// Tells trainers that this rank does not serve why the job ends: all of them at start-up, those of a lost loader rank
// later. Returns when they have taken the message or the deadline has passed; calls `idle` meanwhile.
void refuse(MPI_Comm world, const std::vector<int>& trainer_ranks, Status status, const std::string& message,
            const mpi::Idle& idle, mpi::Deadline deadline);

}  // namespace stowage::deliver
