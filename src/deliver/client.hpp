// SPDX-License-Identifier: Apache-2.0
// The trainer's side of delivery: owns the cursor, finds steps in the ring of its node or pulls them ahead as messages,
// keeps what is held.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>

#include "deliver/protocol.hpp"
#include "deliver/step_queue.hpp"
#include "deliver/step_source.hpp"
#include "deliver/transfer.hpp"
#include "mpi/roles.hpp"

namespace stowage::deliver {

// Every wait polls and has a deadline. A step that is ready in the ring is acquired by a few atomic loads, without a call
// of MPI, and shown where it lies.
class Client final : public StepSource {
 public:
  // Joins the job in `world` as a trainer of that replica, at that place in it. Collective over `world` (loaders take
  // part through their own start-up).
  // Throws what split_job throws, or the loaders' own error, or STOWAGE_TIMEOUT.
  Client(MPI_Comm world, std::int32_t replica, double startup_seconds, const Coordinates& coordinates = {});
  ~Client() override;

  const stowage_info& info() const noexcept override { return info_; }
  MPI_Comm communicator() const noexcept override { return job_.peers.get(); }
  double default_acquire_seconds() const noexcept { return acquire_seconds_; }
  bool in_shared_memory() const noexcept { return ring_.has_value(); }  // else every step comes by message

  const StepView* acquire(double seconds) override;
  void release(const stowage_step& step) override;
  void close() override;

 private:
  void pump();
  void hear();
  void accept(Incoming incoming);
  void pull(PullKind kind);
  void map_ring(const RingPlace& place);
  bool at_end() const noexcept;
  bool ready() const noexcept;
  bool message_comes() const;
  void fetch();

  mpi::Job job_;
  int server_ = MPI_PROC_NULL;  // the loader rank that has welcomed this trainer
  stowage_info info_{};
  double acquire_seconds_ = 0;

  Notice heard_;
  mpi::Request hearing_;
  std::deque<Incoming> arriving_;
  struct Arrived {
    std::uint64_t step;
    AlignedBuffer block;
  };
  std::deque<Arrived> arrived_;  // by message, in order, not yet acquired
  struct Sent {
    Pull pull;
    mpi::Request request;
  };
  std::list<Sent> sent_;

  std::optional<SharedRing> ring_;
  StepQueue steps_;  // held; after ring_, into which they may point
  std::optional<std::uint64_t> end_;
  std::optional<std::pair<Status, std::string>> failure_;
  bool welcomed_ = false;
  bool closed_ = false;
};

}  // namespace stowage::deliver
