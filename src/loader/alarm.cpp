// SPDX-License-Identifier: Apache-2.0
#include "loader/alarm.hpp"

#include <algorithm>
#include <cstring>

#include "base/log.hpp"

namespace stowage::loader {
namespace {

constexpr mpi::Seconds kPatience{2.0};

}  // namespace

Alarm::Alarm(MPI_Comm world, std::vector<int> loader_ranks, int my_rank)
    : world_(world), loader_ranks_(std::move(loader_ranks)), my_rank_(my_rank) {
  hearing_ = mpi::Request::receive(world_, heard_, MPI_ANY_SOURCE, kTag);
}

void Alarm::check() {
  if (raised_) throw *raised_;
  if (!hearing_.test()) return;
  Status status = STOWAGE_INTERNAL_ERROR;
  std::memcpy(&status, heard_.data(), sizeof(status));
  const ByteView text = ByteView(heard_).subspan(sizeof(status), hearing_.received_bytes() - sizeof(status));
  raised_.emplace(status, std::string(text_of(text)));
  throw *raised_;
}

void Alarm::raise(Status status, const std::string& message) noexcept {
  try {
    // Kept for good: a rank that never takes the message may not find its buffer gone.
    auto* text = new Bytes(sizeof(status) + std::min(message.size(), kLongest - sizeof(status)));
    std::memcpy(text->data(), &status, sizeof(status));
    std::memcpy(text->data() + sizeof(status), message.data(), text->size() - sizeof(status));
    std::vector<mpi::Request> sending;
    for (const int rank : loader_ranks_) {
      if (rank != my_rank_) sending.push_back(mpi::Request::send(world_, *text, rank, kTag));
    }
    const mpi::Deadline deadline = mpi::Deadline::after(kPatience);
    mpi::Backoff backoff;
    while (!sending.empty() && !deadline.passed()) {
      std::erase_if(sending, [](mpi::Request& request) { return request.test(); });
      backoff.pause();
    }
    if (sending.empty()) delete text;
  } catch (...) {
    log().error("could not tell the other loader ranks of: {}", message);
  }
}

}  // namespace stowage::loader
