// SPDX-License-Identifier: Apache-2.0
// How a loader rank that fails where no agreement is near tells the others, who may be waiting for it in an exchange.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mpi/request.hpp"
#include "mpi/tags.hpp"

namespace stowage::loader {

// An error that another loader rank has raised.
class HeardError : public Error {
 public:
  using Error::Error;
};

// Messages between loader ranks on the world communicator; not collective. One thread.
class Alarm {
 public:
  // loader_ranks: world ranks of all loaders, this one's included.
  Alarm(MPI_Comm world, std::vector<int> loader_ranks, int my_rank);

  // The loader ranks that are left.
  void set_ranks(std::vector<int> loader_ranks) { loader_ranks_ = std::move(loader_ranks); }

  // Throws the error that another rank has raised, if one has, also when called again. For idle hooks: ends every wait.
  void check();

  // Tells every other loader rank; returns when they have been told or some seconds have passed. Never throws.
  void raise(Status status, const std::string& message) noexcept;

 private:
  static constexpr int kTag = mpi::kTagAlarm;
  static constexpr std::size_t kLongest = 4096;

  MPI_Comm world_;
  std::vector<int> loader_ranks_;
  int my_rank_;
  std::array<std::byte, kLongest> heard_{};
  mpi::Request hearing_;
  std::optional<HeardError> raised_;
};

}  // namespace stowage::loader
