// SPDX-License-Identifier: Apache-2.0
#include "mpi/request.hpp"

#include <utility>

#include "base/narrow.hpp"
#include "mpi/check.hpp"
#include "mpi/failures.hpp"
#include "mpi/unfinished.hpp"

namespace stowage::mpi {

Request::Request(Request&& other) noexcept
    : comm_(other.comm_),
      request_(std::exchange(other.request_, MPI_REQUEST_NULL)),
      status_(other.status_),
      receives_(other.receives_),
      never_(std::exchange(other.never_, false)) {}

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  drop();
  comm_ = other.comm_;
  request_ = std::exchange(other.request_, MPI_REQUEST_NULL);
  status_ = other.status_;
  receives_ = other.receives_;
  never_ = std::exchange(other.never_, false);
  return *this;
}

void Request::begun(int code, const char* call) {
  never_ = means_failure(code);
  if (!never_) check(code, call);
}

Request Request::send(MPI_Comm comm, ByteView bytes, int to, int tag) {
  Request request;
  request.comm_ = comm;
  request.begun(MPI_Isend(bytes.data(), narrow<int>(bytes.size(), "bytes of a message"), MPI_BYTE, to, tag, comm,
                          &request.request_),
                "MPI_Isend");
  return request;
}

Request Request::receive(MPI_Comm comm, ByteSpan bytes, int from, int tag) {
  Request request;
  request.comm_ = comm;
  request.receives_ = true;
  request.begun(MPI_Irecv(bytes.data(), narrow<int>(bytes.size(), "bytes of a message"), MPI_BYTE, from, tag, comm,
                          &request.request_),
                "MPI_Irecv");
  return request;
}

bool Request::test() {
  if (!active()) return true;
  if (never_) return false;
  int done = 0;
  const int code = MPI_Test(&request_, &done, &status_);
  if (means_some_failure(code)) {
    acknowledge_failures(comm_);
    return false;
  }
  never_ = means_failure(code);
  if (never_) return false;
  check(code, "MPI_Test");
  return done != 0;
}

void Request::wait(const Idle& idle, Deadline deadline, std::string_view what) {
  poll([this] { return test(); }, idle, deadline, what);
}

std::size_t Request::received_bytes() const {
  int count = 0;
  check(MPI_Get_count(&status_, MPI_BYTE, &count), "MPI_Get_count");
  return narrow<std::size_t>(count, "received bytes");
}

void Request::drop() noexcept {
  if (request_ == MPI_REQUEST_NULL || !usable()) return;
  if (!receives_) {
    leave_unfinished(std::exchange(request_, MPI_REQUEST_NULL));
    return;
  }
  MPI_Cancel(&request_);
  MPI_Request_free(&request_);
}

void wait(std::span<Request> requests, const Idle& idle, Deadline deadline, std::string_view what) {
  std::size_t complete = 0;  // one look a poll, at the first that is not: any look moves all of them on
  const auto all_complete = [&] {
    while (complete < requests.size() && requests[complete].test()) ++complete;
    return complete == requests.size();
  };
  poll(all_complete, idle, deadline, what);
}

}  // namespace stowage::mpi
