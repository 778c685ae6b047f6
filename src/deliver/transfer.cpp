// SPDX-License-Identifier: Apache-2.0
#include "deliver/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace stowage::deliver {
namespace {

bool all_done(std::vector<mpi::Request>& requests) {
  std::erase_if(requests, [](mpi::Request& request) { return request.test(); });
  return requests.empty();
}

}  // namespace

Outgoing::Outgoing(MPI_Comm world, int to, const Notice& notice, std::shared_ptr<const AlignedBuffer> payload)
    : notice_(notice), payload_(std::move(payload)) {
  const ByteView bytes = payload_ ? payload_->bytes() : ByteView{};
  notice_.bytes = bytes.size();
  requests_.push_back(mpi::Request::send(world, bytes_of(notice_), to, kTagNotice));
  for (std::size_t at = 0; at < bytes.size(); at += kPayloadChunk) {
    const ByteView chunk = bytes.subspan(at, std::min(kPayloadChunk, bytes.size() - at));
    requests_.push_back(mpi::Request::send(world, chunk, to, kTagPayload));
  }
}

bool Outgoing::done() {
  return all_done(requests_);
}

Incoming::Incoming(MPI_Comm world, int from, const Notice& notice)
    : source_(from), notice_(notice), payload_(notice.bytes) {
  const ByteSpan bytes = payload_.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += kPayloadChunk) {
    const ByteSpan chunk = bytes.subspan(at, std::min(kPayloadChunk, bytes.size() - at));
    requests_.push_back(mpi::Request::receive(world, chunk, from, kTagPayload));
  }
}

// A receive that has begun cannot be cancelled: MPI writes to its memory whenever it moves on.
Incoming::~Incoming() {
  const bool unfinished = std::ranges::any_of(requests_, [](const mpi::Request& request) { return request.active(); });
  if (unfinished) static_cast<void>(new AlignedBuffer(std::move(payload_)));
}

bool Incoming::done() {
  return all_done(requests_);
}

std::shared_ptr<const AlignedBuffer> payload_of(ByteView bytes) {
  auto payload = std::make_shared<AlignedBuffer>(bytes.size());
  if (!bytes.empty()) std::memcpy(payload->bytes().data(), bytes.data(), bytes.size());
  return payload;
}

}  // namespace stowage::deliver
