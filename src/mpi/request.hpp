// SPDX-License-Identifier: Apache-2.0
// One message under way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "mpi/wait.hpp"

namespace stowage::mpi {

// Move-only. The buffer is borrowed and must outlive the transfer. Destroying an active receive cancels it; destroying
// an active send lets it go on, so its buffer must then live until MPI is finalised. A transfer with a rank that the
// MPI library knows to be dead (failures.hpp) never completes, as with a library that does not know: waits are ended by
// whoever watches the ranks.
class Request {
 public:
  Request() = default;
  ~Request() { drop(); }
  Request(Request&& other) noexcept;
  Request& operator=(Request&& other) noexcept;

  static Request send(MPI_Comm comm, ByteView bytes, int to, int tag);
  static Request receive(MPI_Comm comm, ByteSpan bytes, int from, int tag);  // MPI_ANY_SOURCE is allowed

  bool active() const noexcept { return never_ || request_ != MPI_REQUEST_NULL; }
  bool test();  // true when complete, or when there is nothing to wait for
  void wait(const Idle& idle, Deadline deadline, std::string_view what);

  // Of a completed receive.
  int source() const noexcept { return status_.MPI_SOURCE; }
  std::size_t received_bytes() const;

 private:
  void begun(int code, const char* call);
  void drop() noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  bool receives_ = false;
  bool never_ = false;  // the other rank is dead
};

// Returns when all are complete; throws as poll() does.
void wait(std::span<Request> requests, const Idle& idle, Deadline deadline, std::string_view what);

}  // namespace stowage::mpi
