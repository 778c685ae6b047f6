// SPDX-License-Identifier: Apache-2.0
// The trainer's side of delivery: owns the cursor, finds steps in the ring of its node or pulls them ahead as messages,
// keeps what is held.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <optional>

#include "deliver/protocol.hpp"
#include "deliver/save.hpp"
#include "deliver/step_queue.hpp"
#include "deliver/step_source.hpp"
#include "deliver/transfer.hpp"
#include "mpi/roles.hpp"

namespace stowage::deliver {

// When another loader rank takes over, steps that the old one had put into its ring are still taken from there, and
// what it left unfinished is given up. Every wait polls and has a deadline. A step that is ready in the ring is
// acquired by a few atomic loads, without a call of MPI, and shown where it lies.
class Client final : public StepSource {
 public:
  // Joins the job in `world` as a trainer of that replica, at that place in it. Collective over `world` (loaders take
  // part through their own start-up).
  // Throws what split_job throws, or the loaders' own error, or STOWAGE_TIMEOUT.
  // resume_step: as in stowage_trainer_options.
  Client(MPI_Comm world, std::int32_t replica, double startup_seconds, const Coordinates& coordinates = {},
         std::int64_t resume_step = -1);
  ~Client() override;

  const stowage_info& info() const noexcept override { return info_; }
  MPI_Comm communicator() const noexcept override { return job_.peers.get(); }
  double default_acquire_seconds() const noexcept { return acquire_seconds_; }
  bool in_shared_memory() const noexcept { return servers_.back().ring.has_value(); }  // else steps come by message

  const StepView* acquire(double seconds) override;
  void release(const stowage_step& step) override;
  void save(std::uint64_t step) override;
  std::optional<Status> saved(std::uint64_t step) override;
  void preempt() noexcept override;
  void close() override;

 private:
  // A loader rank that has welcomed this trainer.
  struct Connection {
    int rank = MPI_PROC_NULL;
    std::uint32_t generation = 0;
    std::optional<SharedRing> ring;
    std::uint64_t needed_until = 0;  // steps below it may lie in the ring and be held
  };

  void pump();
  void hear();
  void accept(Incoming incoming);
  void welcome(int rank, std::uint32_t generation, ByteView payload);
  void connect();
  void pull(PullKind kind);
  void send(PullKind kind, int rank);
  void map_ring(Connection& connection, const RingPlace& place);
  bool at_end() const noexcept;
  bool failed() const noexcept;
  bool ready() const noexcept;
  bool message_comes() const;
  void fetch();
  void let_go();
  Connection& server() noexcept { return servers_.back(); }
  const Connection& server() const noexcept { return servers_.back(); }
  static std::optional<ByteView> in_ring(const Connection& connection, std::uint64_t step);

  mpi::Job job_;
  stowage_info info_{};
  double acquire_seconds_ = 0;
  bool survives_ = false;

  Notice heard_;
  mpi::Request hearing_;
  std::list<Incoming> arriving_;
  std::map<std::uint64_t, AlignedBuffer> arrived_;  // by message, by step, not yet acquired
  struct Sent {
    int rank = MPI_PROC_NULL;
    Pull pull;
    mpi::Request request;
  };
  std::list<Sent> sent_;

  SaveClient saves_;
  bool checkpoints_ = false;  // the run has some
  std::atomic<bool> preempted_{false};
  std::atomic<RingReader*> preemptible_{nullptr};  // of the ring that is in use

  std::list<Connection> servers_;  // the last one serves; of those before it rings are left
  StepQueue steps_;                // held; after servers_, into whose rings they may point
  std::optional<std::uint64_t> end_;
  std::optional<std::pair<Status, std::string>> failure_;
  bool closing_ = false;
  bool closed_ = false;
};

}  // namespace stowage::deliver
