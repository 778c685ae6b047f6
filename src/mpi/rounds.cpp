// SPDX-License-Identifier: Apache-2.0
#include "mpi/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/assert.hpp"
#include "base/narrow.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"

namespace stowage::mpi {
namespace {

constexpr int kAllToAllTag = 23102;
constexpr int kAllGatherTag = 23103;

struct Layout {
  int rank = 0;
  int size = 0;
  explicit Layout(MPI_Comm comm) {
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  }
};

// The part of `whole` that goes in round `round`.
template <typename Span>
Span part(Span whole, std::uint64_t round, std::size_t round_bytes) {
  const std::size_t begin = std::min<std::size_t>(whole.size(), round * round_bytes);
  return whole.subspan(begin, std::min(round_bytes, whole.size() - begin));
}

std::vector<std::uint64_t> begins(std::span<const std::uint64_t> sizes) {
  std::vector<std::uint64_t> begin(sizes.size() + 1, 0);
  std::inclusive_scan(sizes.begin(), sizes.end(), begin.begin() + 1);
  return begin;
}

std::uint64_t largest(std::span<const std::uint64_t> sizes) {
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace

void send_cut(MPI_Comm comm, ByteView bytes, std::size_t to, int tag, const Rounds& rounds,
              std::vector<Request>& requests) {
  while (!bytes.empty()) {
    const ByteView now = bytes.first(std::min(bytes.size(), rounds.round_bytes));
    requests.push_back(Request::send(comm, now, narrow<int>(to), tag));
    if (!rounds.sent.empty()) rounds.sent[to].add(now.size());
    bytes = bytes.subspan(now.size());
  }
}

void receive_cut(MPI_Comm comm, ByteSpan bytes, std::size_t from, int tag, const Rounds& rounds,
                 std::vector<Request>& requests) {
  while (!bytes.empty()) {
    const ByteSpan now = bytes.first(std::min(bytes.size(), rounds.round_bytes));
    requests.push_back(Request::receive(comm, now, narrow<int>(from), tag));
    bytes = bytes.subspan(now.size());
  }
}

void broadcast(MPI_Comm comm, int root, ByteSpan data, const Rounds& rounds) {
  for (std::uint64_t round = 0; round * rounds.round_bytes < data.size(); ++round) {
    const ByteSpan now = part(data, round, rounds.round_bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(now.data(), narrow<int>(now.size()), MPI_BYTE, root, comm, &request), "MPI_Ibcast");
    wait(request, rounds.idle, Deadline::never(), "a broadcast");
  }
}

void all_gather(MPI_Comm comm, ByteView mine, std::span<const std::uint64_t> sizes, ByteSpan all,
                const Rounds& rounds) {
  const Layout layout(comm);
  const auto ranks = static_cast<std::size_t>(layout.size);
  STOWAGE_ASSERT(kAssertLight, sizes.size() == ranks, "{} sizes for {} ranks", sizes.size(), ranks);
  STOWAGE_ASSERT(kAssertLight, mine.size() == sizes[static_cast<std::size_t>(layout.rank)],
                 "rank {} gives {} bytes where {} were announced", layout.rank, mine.size(),
                 sizes[static_cast<std::size_t>(layout.rank)]);

  // In step k a rank holds the parts of 2^k ranks, itself and those after it, and passes them to the rank that is as
  // many before it.
  const auto me = static_cast<std::size_t>(layout.rank);
  std::vector<std::uint64_t> sizes_from_me(ranks);
  std::rotate_copy(sizes.begin(), sizes.begin() + layout.rank, sizes.end(), sizes_from_me.begin());
  const auto begin = begins(sizes_from_me);
  STOWAGE_ASSERT(kAssertLight, all.size() == begin.back(), "room for {} bytes where {} come", all.size(), begin.back());
  Lent<Bytes> held{Bytes(all.size())};
  std::copy(mine.begin(), mine.end(), held->begin());
  for (std::size_t have = 1; have < ranks; have *= 2) {
    const std::size_t more = std::min(have, ranks - have);
    std::vector<Request> requests;
    receive_cut(comm, ByteSpan(*held).subspan(begin[have], begin[have + more] - begin[have]), (me + have) % ranks,
                kAllGatherTag, rounds, requests);
    send_cut(comm, ByteView(*held).first(begin[more]), (me + ranks - have) % ranks, kAllGatherTag, rounds, requests);
    wait(requests, rounds.idle, Deadline::never(), "the other ranks' part of a gathering");
  }
  held.give_back();
  const auto after_last = held->begin() + static_cast<std::ptrdiff_t>(begin[ranks - me]);
  std::rotate_copy(held->begin(), after_last, held->end(), all.begin());
}

void all_to_all(MPI_Comm comm, ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                std::span<const std::uint64_t> receive_sizes, const Rounds& rounds) {
  const Layout layout(comm);
  const auto ranks = static_cast<std::size_t>(layout.size);
  const auto me = static_cast<std::size_t>(layout.rank);
  STOWAGE_ASSERT(kAssertLight, send_sizes.size() == ranks && receive_sizes.size() == ranks,
                 "{} and {} sizes for {} ranks", send_sizes.size(), receive_sizes.size(), ranks);
  const auto send_begin = begins(send_sizes);
  const auto receive_begin = begins(receive_sizes);
  STOWAGE_ASSERT(kAssertLight, send.size() == send_begin.back() && receive.size() == receive_begin.back(),
                 "sizes add up to {} and {} bytes, buffers hold {} and {}", send_begin.back(), receive_begin.back(),
                 send.size(), receive.size());
  STOWAGE_ASSERT(kAssertLight, send_sizes[me] == receive_sizes[me], "rank {} sends itself {} bytes and expects {}", me,
                 send_sizes[me], receive_sizes[me]);

  const std::uint64_t longest = std::max(largest(send_sizes), largest(receive_sizes));
  for (std::uint64_t round = 0; round * rounds.round_bytes < longest; ++round) {
    std::vector<Request> requests;
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t from = (me + ranks - step) % ranks;
      receive_cut(comm, part(receive.subspan(receive_begin[from], receive_sizes[from]), round, rounds.round_bytes), from,
                  kAllToAllTag, rounds, requests);
    }
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t to = (me + step) % ranks;
      send_cut(comm, part(send.subspan(send_begin[to], send_sizes[to]), round, rounds.round_bytes), to, kAllToAllTag,
               rounds, requests);
    }
    if (round == 0) {
      const ByteView own = send.subspan(send_begin[me], send_sizes[me]);
      std::copy(own.begin(), own.end(), receive.subspan(receive_begin[me], own.size()).begin());
    }
    wait(requests, rounds.idle, Deadline::never(), "the other ranks' part of an exchange");
  }
}

}  // namespace stowage::mpi
