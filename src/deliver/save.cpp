// SPDX-License-Identifier: Apache-2.0
#include "deliver/save.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "mpi/tags.hpp"

namespace stowage::deliver {
namespace {

using mpi::kTagSave;
using mpi::kTagSaved;

constexpr std::size_t kRemembered = 256;  // steps asked for

static_assert(std::is_trivially_copyable_v<SaveRequest> && std::is_trivially_copyable_v<SaveAnswer>);

}  // namespace

// A send that was given up goes on until MPI is finalised, and may not find its buffer gone.
template <typename Message>
Mail<Message>::~Mail() {
  if (!sending_.empty()) static_cast<void>(new std::list<Sending>(std::move(sending_)));
}

template <typename Message>
void Mail<Message>::send(MPI_Comm world, int to, int tag, const Message& message) {
  Sending& one = sending_.emplace_back();
  one.message = message;
  one.request = mpi::Request::send(world, bytes_of(one.message), to, tag);
}

template <typename Message>
void Mail<Message>::progress() {
  std::erase_if(sending_, [](Sending& one) { return one.request.test(); });
}

template class Mail<SaveRequest>;
template class Mail<SaveAnswer>;

bool SavesAsked::ask(std::uint64_t step) {
  const auto known = asked_.find(step);
  if (known != asked_.end() && known->second.value_or(STOWAGE_OK) == STOWAGE_OK) return false;
  asked_[step] = std::nullopt;
  if (asked_.size() > kRemembered) asked_.erase(asked_.begin());
  return true;
}

void SavesAsked::settle(std::uint64_t step, Status status) {
  const auto asked = asked_.find(step);
  if (asked != asked_.end() && !asked->second) asked->second = status;
}

std::optional<Status> SavesAsked::answer(std::uint64_t step) const {
  const auto asked = asked_.find(step);
  if (asked == asked_.end()) {
    fail(STOWAGE_STATE_ERROR, "this trainer did not ask for a checkpoint of step {}, or that is too long ago", step);
  }
  return asked->second;
}

SaveClient::SaveClient(MPI_Comm world, std::vector<int> loader_ranks)
    : world_(world), loader_ranks_(std::move(loader_ranks)) {
  hear();
}

void SaveClient::hear() {
  hearing_ = mpi::Request::receive(world_, std::as_writable_bytes(std::span(&heard_, 1)), MPI_ANY_SOURCE, kTagSaved);
}

void SaveClient::request(std::uint64_t step) {
  if (!asked_.ask(step)) return;
  for (const int rank : loader_ranks_) mail_.send(world_, rank, kTagSave, {step});
}

void SaveClient::request_preemption() {
  if (std::exchange(preempting_, true)) return;
  for (const int rank : loader_ranks_) mail_.send(world_, rank, kTagSave, {SaveRequest::kPreempt});
}

void SaveClient::progress() {
  mail_.progress();
  while (hearing_.test()) {
    asked_.settle(heard_.step, heard_.status);
    hear();
  }
}

SaveServer::SaveServer(MPI_Comm world) : world_(world) {
  hear();
}

void SaveServer::hear() {
  hearing_ = mpi::Request::receive(world_, std::as_writable_bytes(std::span(&heard_, 1)), MPI_ANY_SOURCE, kTagSave);
}

void SaveServer::progress() {
  mail_.progress();
  while (hearing_.test()) {
    if (heard_.step == SaveRequest::kPreempt) {
      preempted_ = true;
    } else {
      new_.push_back(heard_.step);
      waiting_.emplace(heard_.step, hearing_.source());
      if (waiting_.size() > kRemembered) waiting_.erase(waiting_.begin());  // a rank that does not write answers nobody
    }
    hear();
  }
}

std::vector<std::uint64_t> SaveServer::take_requests() {
  return std::exchange(new_, {});
}

void SaveServer::answer(std::uint64_t step, Status status) {
  const auto [first, last] = waiting_.equal_range(step);
  for (auto one = first; one != last; ++one) mail_.send(world_, one->second, kTagSaved, {step, status, 0});
  waiting_.erase(first, last);
}

}  // namespace stowage::deliver
