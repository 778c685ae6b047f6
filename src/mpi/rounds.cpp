// SPDX-License-Identifier: Apache-2.0
#include "mpi/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/assert.hpp"
#include "base/narrow.hpp"
#include "mpi/lent.hpp"

namespace stowage::mpi {
namespace {

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

void send_cut(const Group& group, ByteView bytes, std::size_t to, int operation, const Rounds& rounds,
              std::vector<Request>& requests) {
  while (!bytes.empty()) {
    const ByteView now = bytes.first(std::min(bytes.size(), rounds.round_bytes));
    requests.push_back(Request::send(group.comm(), now, group.in_comm(narrow<int>(to)), group.tag(operation)));
    if (!rounds.sent.empty()) rounds.sent[to].add(now.size());
    bytes = bytes.subspan(now.size());
  }
}

void receive_cut(const Group& group, ByteSpan bytes, std::size_t from, int operation, const Rounds& rounds,
                 std::vector<Request>& requests) {
  while (!bytes.empty()) {
    const ByteSpan now = bytes.first(std::min(bytes.size(), rounds.round_bytes));
    requests.push_back(Request::receive(group.comm(), now, group.in_comm(narrow<int>(from)), group.tag(operation)));
    bytes = bytes.subspan(now.size());
  }
}

// By a binomial tree.
void broadcast(const Group& group, int root, ByteSpan data, const Rounds& rounds) {
  const auto ranks = static_cast<std::size_t>(group.size());
  const auto from_root = static_cast<std::size_t>(group.rank() - root + group.size()) % ranks;
  const auto rank_at = [&](std::size_t place) { return (place + static_cast<std::size_t>(root)) % ranks; };
  Lent<Bytes> held{Bytes(data.begin(), data.end())};
  std::size_t reach = 1;  // ranks that have the data once this one has
  for (; reach <= from_root; reach *= 2) {
  }
  if (from_root > 0) {
    std::vector<Request> requests;
    receive_cut(group, *held, rank_at(from_root - reach / 2), kBroadcast, rounds, requests);
    wait(requests, rounds.idle, Deadline::never(), "a broadcast");
  }
  std::vector<Request> requests;
  for (; from_root + reach < ranks; reach *= 2) {
    send_cut(group, *held, rank_at(from_root + reach), kBroadcast, rounds, requests);
  }
  wait(requests, rounds.idle, Deadline::never(), "a broadcast to be taken");
  held.give_back();
  std::copy(held->begin(), held->end(), data.begin());
}

void all_gather(const Group& group, ByteView mine, std::span<const std::uint64_t> sizes, ByteSpan all,
                const Rounds& rounds) {
  const auto ranks = static_cast<std::size_t>(group.size());
  STOWAGE_ASSERT(kAssertLight, sizes.size() == ranks, "{} sizes for {} ranks", sizes.size(), ranks);
  STOWAGE_ASSERT(kAssertLight, mine.size() == sizes[static_cast<std::size_t>(group.rank())],
                 "rank {} gives {} bytes where {} were announced", group.rank(), mine.size(),
                 sizes[static_cast<std::size_t>(group.rank())]);

  // In step k a rank holds the parts of 2^k ranks, itself and those after it, and passes them to the rank that is as
  // many before it.
  const auto me = static_cast<std::size_t>(group.rank());
  std::vector<std::uint64_t> sizes_from_me(ranks);
  std::rotate_copy(sizes.begin(), sizes.begin() + group.rank(), sizes.end(), sizes_from_me.begin());
  const auto begin = begins(sizes_from_me);
  STOWAGE_ASSERT(kAssertLight, all.size() == begin.back(), "room for {} bytes where {} come", all.size(), begin.back());
  Lent<Bytes> held{Bytes(all.size())};
  std::copy(mine.begin(), mine.end(), held->begin());
  for (std::size_t have = 1; have < ranks; have *= 2) {
    const std::size_t more = std::min(have, ranks - have);
    std::vector<Request> requests;
    receive_cut(group, ByteSpan(*held).subspan(begin[have], begin[have + more] - begin[have]), (me + have) % ranks,
                kAllGather, rounds, requests);
    send_cut(group, ByteView(*held).first(begin[more]), (me + ranks - have) % ranks, kAllGather, rounds, requests);
    wait(requests, rounds.idle, Deadline::never(), "the other ranks' part of a gathering");
  }
  held.give_back();
  const auto after_last = held->begin() + static_cast<std::ptrdiff_t>(begin[ranks - me]);
  std::rotate_copy(held->begin(), after_last, held->end(), all.begin());
}

void gather(const Group& group, int root, ByteView mine, std::span<const std::uint64_t> sizes, ByteSpan all,
            const Rounds& rounds) {
  const auto me = static_cast<std::size_t>(group.rank());
  const auto at_root = static_cast<std::size_t>(root);
  STOWAGE_ASSERT(kAssertLight, sizes.size() == static_cast<std::size_t>(group.size()), "{} sizes for {} ranks",
                 sizes.size(), group.size());
  STOWAGE_ASSERT(kAssertLight, mine.size() == sizes[me], "rank {} gives {} bytes where {} were announced", me,
                 mine.size(), sizes[me]);
  const auto begin = begins(sizes);
  STOWAGE_ASSERT(kAssertLight, all.size() == (me == at_root ? begin.back() : 0), "room for {} bytes on rank {}",
                 all.size(), me);

  Lent<Bytes> held{me == at_root ? Bytes(all.size()) : Bytes(mine.begin(), mine.end())};
  std::vector<Request> requests;
  if (me != at_root) {
    send_cut(group, *held, at_root, kGather, rounds, requests);
  } else {
    for (std::size_t from = 0; from < sizes.size(); ++from) {
      const ByteSpan part = ByteSpan(*held).subspan(begin[from], sizes[from]);
      if (from == me) {
        std::ranges::copy(mine, part.begin());
      } else {
        receive_cut(group, part, from, kGather, rounds, requests);
      }
    }
  }
  wait(requests, rounds.idle, Deadline::never(), "the other ranks' part of a gathering");
  held.give_back();
  if (me == at_root) std::ranges::copy(*held, all.begin());
}

void all_to_all(const Group& group, ByteView send, std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                std::span<const std::uint64_t> receive_sizes, const Rounds& rounds) {
  const auto ranks = static_cast<std::size_t>(group.size());
  const auto me = static_cast<std::size_t>(group.rank());
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
      receive_cut(group, part(receive.subspan(receive_begin[from], receive_sizes[from]), round, rounds.round_bytes),
                  from, kAllToAll, rounds, requests);
    }
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t to = (me + step) % ranks;
      send_cut(group, part(send.subspan(send_begin[to], send_sizes[to]), round, rounds.round_bytes), to, kAllToAll,
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
