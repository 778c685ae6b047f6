// SPDX-License-Identifier: Apache-2.0
#include "mpi/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/assert.hpp"
#include "base/narrow.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"
#include "mpi/request.hpp"

namespace stowage::mpi {
namespace {

constexpr int kAllToAllTag = 23102;

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
  const auto begin = begins(sizes);
  STOWAGE_ASSERT(kAssertLight, all.size() == begin.back(), "room for {} bytes where {} come", all.size(), begin.back());

  struct Round {
    Bytes arrived;
    std::vector<int> counts;
    std::vector<int> places;
  };
  Lent<Round> now({Bytes(), std::vector<int>(ranks), std::vector<int>(ranks)});
  const std::size_t each = std::max<std::size_t>(1, rounds.round_bytes / ranks);
  for (std::uint64_t round = 0; round * each < largest(sizes); ++round) {
    std::size_t total = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      now->counts[r] = narrow<int>(part(all.subspan(begin[r], sizes[r]), round, each).size());
      now->places[r] = narrow<int>(total);
      total += static_cast<std::size_t>(now->counts[r]);
    }
    now->arrived.resize(total);
    const ByteView given = part(mine, round, each);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgatherv(given.data(), narrow<int>(given.size()), MPI_BYTE, now->arrived.data(), now->counts.data(),
                          now->places.data(), MPI_BYTE, comm, &request),
          "MPI_Iallgatherv");
    wait(request, rounds.idle, Deadline::never(), "the other ranks' part of a gathering");
    for (std::size_t r = 0; r < ranks; ++r) {
      const ByteView from(now->arrived.data() + now->places[r], static_cast<std::size_t>(now->counts[r]));
      std::copy(from.begin(), from.end(), part(all.subspan(begin[r], sizes[r]), round, each).begin());
    }
  }
  now.give_back();
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
      const ByteSpan now = part(receive.subspan(receive_begin[from], receive_sizes[from]), round, rounds.round_bytes);
      if (!now.empty()) requests.push_back(Request::receive(comm, now, narrow<int>(from), kAllToAllTag));
    }
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t to = (me + step) % ranks;
      const ByteView now = part(send.subspan(send_begin[to], send_sizes[to]), round, rounds.round_bytes);
      if (now.empty()) continue;
      requests.push_back(Request::send(comm, now, narrow<int>(to), kAllToAllTag));
      if (!rounds.sent.empty()) rounds.sent[to].add(now.size());
    }
    if (round == 0) {
      const ByteView own = send.subspan(send_begin[me], send_sizes[me]);
      std::copy(own.begin(), own.end(), receive.subspan(receive_begin[me], own.size()).begin());
    }
    wait(requests, rounds.idle, Deadline::never(), "the other ranks' part of an exchange");
  }
}

}  // namespace stowage::mpi
