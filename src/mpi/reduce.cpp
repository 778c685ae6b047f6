// SPDX-License-Identifier: Apache-2.0
#include "mpi/reduce.hpp"

#include <algorithm>
#include <vector>

#include "mpi/lent.hpp"
#include "mpi/rounds.hpp"

namespace stowage::mpi {
namespace {

struct Buffers {
  std::vector<std::uint64_t> least;
  std::vector<std::uint64_t> received;
};

}  // namespace

void all_reduce_min(const Group& group, std::span<std::uint64_t> values, const Idle& idle) {
  const auto ranks = static_cast<std::size_t>(group.size());
  const auto me = static_cast<std::size_t>(group.rank());
  Lent<Buffers> buffers({{values.begin(), values.end()}, std::vector<std::uint64_t>(values.size())});
  const Rounds rounds{idle};
  for (std::size_t distance = 1; distance < ranks; distance *= 2) {
    std::vector<Request> requests;
    receive_cut(group, std::as_writable_bytes(std::span(buffers->received)), (me + ranks - distance) % ranks, kReduce,
                rounds, requests);
    send_cut(group, std::as_bytes(std::span(buffers->least)), (me + distance) % ranks, kReduce, rounds, requests);
    wait(requests, idle, Deadline::never(), "the other ranks' part of a reduction");
    std::ranges::transform(buffers->least, buffers->received, buffers->least.begin(),
                           [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  }
  buffers.give_back();
  std::ranges::copy(buffers->least, values.begin());
}

bool everywhere(const Group& group, bool here, const Idle& idle) {
  std::uint64_t all = here ? 1 : 0;
  all_reduce_min(group, std::span(&all, 1), idle);
  return all != 0;
}

}  // namespace stowage::mpi
