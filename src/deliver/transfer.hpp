// SPDX-License-Identifier: Apache-2.0
// A notice and the payload behind it, as one thing to send or to receive.
#pragma once

#include <memory>
#include <vector>

#include "deliver/aligned_buffer.hpp"
#include "deliver/protocol.hpp"
#include "mpi/request.hpp"

namespace stowage::deliver {

// Starts on construction; keeps the payload alive until done() is true. Not movable: MPI holds its address.
class Outgoing {
 public:
  Outgoing(MPI_Comm world, int to, const Notice& notice, std::shared_ptr<const AlignedBuffer> payload);
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  bool done();

 private:
  Notice notice_;
  std::shared_ptr<const AlignedBuffer> payload_;
  std::vector<mpi::Request> requests_;
};

// The payload that a notice announced. Starts on construction. Move-only. May be given up before it is there: its
// memory then stays.
class Incoming {
 public:
  Incoming(MPI_Comm world, int from, const Notice& notice);
  ~Incoming();
  Incoming(Incoming&&) noexcept = default;
  Incoming& operator=(Incoming&&) noexcept = default;

  const Notice& notice() const noexcept { return notice_; }
  int source() const noexcept { return source_; }  // rank in the world communicator
  bool done();
  AlignedBuffer take() && noexcept { return std::move(payload_); }

 private:
  int source_;
  Notice notice_;
  AlignedBuffer payload_;
  std::vector<mpi::Request> requests_;
};

std::shared_ptr<const AlignedBuffer> payload_of(ByteView bytes);

}  // namespace stowage::deliver
