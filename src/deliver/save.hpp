// SPDX-License-Identifier: Apache-2.0
// Trainers ask for checkpoints: messages on the job's world communicator beside those of protocol.hpp, never
// collective.
//
//   trainer                                   loader
//   SaveRequest{step or kPreempt}  -------->  every loader rank, so that no death of one can lose it
//                              <------------  SaveAnswer{step, status}, from the rank that writes: once the
//                                             checkpoint is durable or has failed
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "mpi/request.hpp"

namespace stowage::deliver {

struct SaveRequest {
  static constexpr std::uint64_t kPreempt = std::numeric_limits<std::uint64_t>::max();  // end the run, saved
  std::uint64_t step = 0;
};

struct SaveAnswer {
  std::uint64_t step = 0;
  Status status = STOWAGE_OK;  // OK: durable
  std::uint32_t reserved = 0;
};

// Messages that are on their way, each with its bytes. Never blocks.
template <typename Message>
class Mail {
 public:
  ~Mail();
  void send(MPI_Comm world, int to, int tag, const Message& message);
  void progress();
  bool empty() const noexcept { return sending_.empty(); }

 private:
  struct Sending {
    Message message;
    mpi::Request request;
  };
  std::list<Sending> sending_;
};

// What a trainer has asked for, and what became of it.
class SavesAsked {
 public:
  // False if it is under way or durable already, so that nothing is to be done.
  bool ask(std::uint64_t step);
  void settle(std::uint64_t step, Status status);

  // Nothing while it is not known. Throws STOWAGE_STATE_ERROR if the step was not asked for, or is too long ago.
  std::optional<Status> answer(std::uint64_t step) const;

 private:
  std::map<std::uint64_t, std::optional<Status>> asked_;
};

// The trainer's side. One thread.
class SaveClient {
 public:
  SaveClient(MPI_Comm world, std::vector<int> loader_ranks);

  void request(std::uint64_t step);  // harmless if it was asked for before; asks anew for one that has failed
  void request_preemption();         // once is enough
  void progress();
  std::optional<Status> answer(std::uint64_t step) const { return asked_.answer(step); }

 private:
  void hear();

  MPI_Comm world_;
  std::vector<int> loader_ranks_;
  SavesAsked asked_;
  bool preempting_ = false;
  Mail<SaveRequest> mail_;
  SaveAnswer heard_;
  mpi::Request hearing_;
};

// The loader's side. One thread.
class SaveServer {
 public:
  explicit SaveServer(MPI_Comm world);

  void progress();
  std::vector<std::uint64_t> take_requests();  // steps asked for since the last call, in the order of coming
  bool preempted() const noexcept { return preempted_; }
  void answer(std::uint64_t step, Status status);  // to every trainer that has asked for that step

 private:
  void hear();

  MPI_Comm world_;
  std::vector<std::uint64_t> new_;
  std::multimap<std::uint64_t, int> waiting_;  // trainers by step
  bool preempted_ = false;
  Mail<SaveAnswer> mail_;
  SaveRequest heard_;
  mpi::Request hearing_;
};

}  // namespace stowage::deliver
