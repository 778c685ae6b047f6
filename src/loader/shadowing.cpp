// SPDX-License-Identifier: Apache-2.0
#include "loader/shadowing.hpp"

#include <boost/serialization/vector.hpp>

#include "base/assert.hpp"
#include "base/frame.hpp"
#include "mpi/lent.hpp"
#include "mpi/rounds.hpp"

namespace stowage::loader {
namespace {

enum Operation : int { kHead = mpi::kFirstFree + 16, kDelta, kAcknowledged };

constexpr std::uint32_t kVersion = 1;

struct Outgoing {
  std::vector<std::byte> head;
  Bytes delta;
};

}  // namespace

Shadowing::Shadowing(mpi::Group group, std::vector<int> active, std::vector<int> shadows, mpi::Idle idle)
    : group_(std::move(group)), active_(std::move(active)), shadows_(std::move(shadows)), idle_(std::move(idle)) {}

void Shadowing::send(int to, const Head& head, const Bytes& delta) {
  const ByteView words = bytes_of(head);
  mpi::Lent<Outgoing> lent({{words.begin(), words.end()}, delta});
  const mpi::Rounds rounds{idle_};
  std::vector<mpi::Request> requests;
  mpi::send_cut(group_, lent->head, static_cast<std::size_t>(to), kHead, rounds, requests);
  mpi::send_cut(group_, lent->delta, static_cast<std::size_t>(to), kDelta, rounds, requests);
  mpi::wait(requests, idle_, mpi::Deadline::never(), "a shadow to take a difference");
  lent.give_back();
}

void Shadowing::explain(std::uint64_t step, const checkpoint::StepDelta& delta, std::uint64_t committed) {
  if (shadows_.empty()) return;
  if (group_.rank() == active_.front()) {
    const Bytes bytes = frame::encode(delta, kVersion);
    for (const int shadow : shadows_) send(shadow, {step, committed, bytes.size()}, bytes);
  }
  mpi::Lent<std::vector<std::uint64_t>> known(std::vector<std::uint64_t>(shadows_.size()));
  std::vector<mpi::Request> requests;
  const mpi::Rounds rounds{idle_};
  for (std::size_t s = 0; s < shadows_.size(); ++s) {
    mpi::receive_cut(group_, std::as_writable_bytes(std::span(&(*known)[s], 1)), static_cast<std::size_t>(shadows_[s]),
                     kAcknowledged, rounds, requests);
  }
  mpi::wait(requests, idle_, mpi::Deadline::never(), "the shadows to know a step");
  known.give_back();
  for (const std::uint64_t acknowledged : *known) {
    STOWAGE_ASSERT(kAssertLight, acknowledged == step, "a shadow knows step {} where {} was told", acknowledged, step);
  }
}

void Shadowing::end() {
  if (group_.rank() != active_.front()) return;
  for (const int shadow : shadows_) send(shadow, {}, {});
}

std::optional<Shadowing::Explained> Shadowing::hear() {
  const mpi::Rounds rounds{idle_};
  const auto from = static_cast<std::size_t>(active_.front());
  const auto receive = [&](ByteSpan to, int operation) {
    std::vector<mpi::Request> requests;
    mpi::receive_cut(group_, to, from, operation, rounds, requests);
    mpi::wait(requests, idle_, mpi::Deadline::never(), "what a step did");
  };
  mpi::Lent<Head> head{Head{}};
  receive(std::as_writable_bytes(std::span(&*head, 1)), kHead);
  head.give_back();
  if (head->bytes == 0) return std::nullopt;
  mpi::Lent<Bytes> delta{Bytes(head->bytes)};
  receive(*delta, kDelta);
  delta.give_back();
  return Explained{head->step, head->committed,
                   frame::decode<checkpoint::StepDelta>(*delta, kVersion, "the difference that a step made")};
}

void Shadowing::acknowledge(std::uint64_t step) {
  mpi::Lent<std::uint64_t> word{step};
  const mpi::Rounds rounds{idle_};
  std::vector<mpi::Request> requests;
  for (const int rank : active_) {
    mpi::send_cut(group_, bytes_of(*word), static_cast<std::size_t>(rank), kAcknowledged, rounds, requests);
  }
  mpi::wait(requests, idle_, mpi::Deadline::never(), "the working loader ranks to take an acknowledgement");
  word.give_back();
}

}  // namespace stowage::loader
