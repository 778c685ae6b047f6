// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.hpp"

#include <utility>

#include "base/narrow.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"

namespace stowage::mpi {
namespace {

class Group {
 public:
  explicit Group(MPI_Comm comm) { check(MPI_Comm_group(comm, &group_), "MPI_Comm_group"); }
  Group(const Group& whole, std::span<const int> ranks) {
    check(MPI_Group_incl(whole.group_, narrow<int>(ranks.size(), "ranks of a group"), ranks.data(), &group_),
          "MPI_Group_incl");
  }
  ~Group() { MPI_Group_free(&group_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  MPI_Group get() const noexcept { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() {
  free();
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  if (this == &other) return *this;
  free();
  comm_ = std::exchange(other.comm_, MPI_COMM_NULL);
  rank_ = other.rank_;
  size_ = other.size_;
  return *this;
}

void Communicator::free() noexcept {
  if (comm_ != MPI_COMM_NULL && usable()) MPI_Comm_free(&comm_);
}

Communicator Communicator::duplicate(MPI_Comm comm, const Idle& idle, Deadline deadline) {
  Lent<MPI_Comm> made(MPI_COMM_NULL);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Comm_idup(comm, &*made, &request), "MPI_Comm_idup");
  wait(request, idle, deadline, "every rank to duplicate a communicator");
  made.give_back();
  return Communicator(*made);
}

Communicator Communicator::of_ranks(MPI_Comm comm, std::span<const int> ranks, int tag) {
  const Group whole(comm);
  const Group members(whole, ranks);
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_create_group(comm, members.get(), tag, &made), "MPI_Comm_create_group");
  return Communicator(made);
}

}  // namespace stowage::mpi
