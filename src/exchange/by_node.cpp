// SPDX-License-Identifier: Apache-2.0
#include "exchange/by_node.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "base/assert.hpp"
#include "mpi/check.hpp"
#include "mpi/lent.hpp"

namespace stowage::exchange {
namespace {

constexpr int kDirectTag = mpi::kFirstFree + 0;   // parts between two ranks of a node
constexpr int kSizesTag = mpi::kFirstFree + 1;    // to an agent: what its partners get from here, and give
constexpr int kCollectTag = mpi::kFirstFree + 2;  // to an agent: parts for one partner
constexpr int kCrossTag = mpi::kFirstFree + 3;    // between agents
constexpr int kDealTag = mpi::kFirstFree + 4;     // from an agent: the parts that came from one partner

using Sizes = std::vector<std::uint64_t>;

std::uint64_t sum(std::span<const std::uint64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

// Buffers of one exchange. Not initialised: every byte is received or copied.
class Scratch {
 public:
  ByteSpan take(std::uint64_t bytes) {
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    return {blocks_.back().get(), bytes};
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

// A rank's parts for (or from) all ranks, one after the other.
template <typename Span>
class Parts {
 public:
  Parts(Span whole, std::span<const std::uint64_t> sizes) : whole_(whole), sizes_(sizes), begin_(sizes.size() + 1, 0) {
    std::inclusive_scan(sizes.begin(), sizes.end(), begin_.begin() + 1);
    STOWAGE_ASSERT(kAssertLight, begin_.back() == whole.size(), "sizes add up to {} bytes, the buffer holds {}",
                   begin_.back(), whole.size());
  }

  std::uint64_t size(std::size_t rank) const noexcept { return sizes_[rank]; }
  Span of(std::size_t rank) const noexcept { return whole_.subspan(begin_[rank], sizes_[rank]); }
  std::uint64_t size_of(std::span<const std::size_t> ranks) const noexcept {
    std::uint64_t total = 0;
    for (const std::size_t rank : ranks) total += sizes_[rank];
    return total;
  }
  // Of consecutive ranks.
  Span run(std::span<const std::size_t> ranks) const noexcept {
    return whole_.subspan(begin_[ranks.front()], begin_[ranks.back() + 1] - begin_[ranks.front()]);
  }

 private:
  Span whole_;
  std::span<const std::uint64_t> sizes_;
  Sizes begin_;
};

class NodeExchange {
 public:
  NodeExchange(const mpi::Group& group, const NodeMap& nodes, const Parts<ByteView>& send,
               const Parts<ByteSpan>& receive, const mpi::Rounds& rounds)
      : group_(group), nodes_(nodes), send_(send), receive_(receive), rounds_(rounds), scratch_(Scratch()) {
    me_ = static_cast<std::size_t>(group.rank());
    node_ = nodes.node_of(me_);
    peers_ = nodes.ranks_of(node_);
    for (const std::size_t partner : nodes.partners(node_)) {
      Route route{partner, nodes.agent(node_, partner), nodes.agent(partner, node_), {}, {}, {}, {}, {}, {}};
      (route.agent == me_ ? led_ : routes_).push_back(std::move(route));
    }
  }

  void run() {
    post_direct();
    hand_to_agents();
    if (!led_.empty()) {
      collect_sizes();
      collect_parts();
      for (Route& route : led_) cross(route);
      for (Route& route : led_) deal(route);
    }
    mpi::wait(pending_, rounds_.idle, mpi::Deadline::never(), kWhat);
    for (const Route& route : routes_) {
      if (!nodes_.consecutive(route.partner)) spread(route.incoming, route.partner);
    }
    scratch_.give_back();
  }

 private:
  using Requests = std::vector<mpi::Request>;
  static constexpr std::string_view kWhat = "the other ranks' part of an exchange between nodes";

  // The way to one other node and back.
  struct Route {
    std::size_t partner;  // the node
    std::size_t agent;    // of this node
    std::size_t their_agent;
    Sizes send_sizes;     // at the agent: [peers x partner's ranks]
    Sizes receive_sizes;  // at the agent: [peers x partner's ranks]
    ByteSpan outgoing;    // at the agent: parts by sender, then by receiver
    ByteSpan incoming;    // at the agent: the same of the partner; elsewhere: this rank's parts by sender
    Requests collected;
    Requests crossed;
  };

  struct Told {
    std::uint64_t sent = 0;
    std::uint64_t expected = 0;
  };

  void send_to(std::size_t to, ByteView bytes, int tag) { mpi::send_cut(group_, bytes, to, tag, rounds_, pending_); }
  void receive_from(std::size_t from, ByteSpan bytes, int tag, Requests& requests) {
    mpi::receive_cut(group_, bytes, from, tag, rounds_, requests);
  }

  void post_direct() {
    for (const std::size_t peer : peers_) {
      if (peer != me_) receive_from(peer, receive_.of(peer), kDirectTag, pending_);
    }
    for (const std::size_t peer : peers_) {
      if (peer != me_) send_to(peer, send_.of(peer), kDirectTag);
    }
    const ByteView own = send_.of(me_);
    std::copy(own.begin(), own.end(), receive_.of(me_).begin());
  }

  // This rank's parts for a node, one after the other.
  ByteView parts_for(std::size_t node) {
    const auto theirs = nodes_.ranks_of(node);
    if (nodes_.consecutive(node)) return send_.run(theirs);
    const ByteSpan packed = scratch_->take(send_.size_of(theirs));
    auto at = packed.begin();
    for (const std::size_t to : theirs) {
      const ByteView part = send_.of(to);
      at = std::copy(part.begin(), part.end(), at);
    }
    return packed;
  }

  // Where this rank's parts from a node arrive one after the other; spread() them unless that is their place.
  ByteSpan landing(std::size_t node) {
    const auto theirs = nodes_.ranks_of(node);
    return nodes_.consecutive(node) ? receive_.run(theirs) : scratch_->take(receive_.size_of(theirs));
  }

  void hand_to_agents() {
    for (const std::size_t peer : peers_) {
      if (peer != me_) send_to(peer, sizes_for(peer), kSizesTag);
    }
    for (Route& route : routes_) {
      route.incoming = landing(route.partner);
      receive_from(route.agent, route.incoming, kDealTag, pending_);
      send_to(route.agent, parts_for(route.partner), kCollectTag);
    }
  }

  // The ranks of the partners that an agent of this node leads to, in the order of its routes.
  std::vector<std::size_t> ranks_behind(std::size_t agent) const {
    std::vector<std::size_t> all;
    for (const Route& route : agent == me_ ? led_ : routes_) {
      const auto theirs = nodes_.ranks_of(route.partner);
      if (route.agent == agent) all.insert(all.end(), theirs.begin(), theirs.end());
    }
    return all;
  }

  // What an agent is told: what this rank sends to each rank behind it, and what it expects from each.
  ByteView sizes_for(std::size_t agent) {
    const std::vector<std::size_t> behind = ranks_behind(agent);
    const ByteSpan sizes = scratch_->take(behind.size() * sizeof(Told));
    for (std::size_t i = 0; i < behind.size(); ++i) {
      const Told told{send_.size(behind[i]), receive_.size(behind[i])};
      std::memcpy(sizes.data() + i * sizeof told, &told, sizeof told);
    }
    return sizes;
  }

  void collect_sizes() {
    const std::size_t bytes = ranks_behind(me_).size() * sizeof(Told);
    std::vector<ByteView> rows;  // [peers]
    Requests requests;
    for (const std::size_t peer : peers_) {
      if (peer == me_) {
        rows.push_back(sizes_for(me_));
        continue;
      }
      const ByteSpan row = scratch_->take(bytes);
      receive_from(peer, row, kSizesTag, requests);
      rows.push_back(row);
    }
    mpi::wait(requests, rounds_.idle, mpi::Deadline::never(), kWhat);

    for (Route& route : led_) {
      for (ByteView& row : rows) {
        for (std::size_t t = 0; t < nodes_.ranks_of(route.partner).size(); ++t) {
          Told told;
          std::memcpy(&told, row.data(), sizeof told);
          row = row.subspan(sizeof told);
          route.send_sizes.push_back(told.sent);
          route.receive_sizes.push_back(told.expected);
        }
      }
    }
  }

  // Receives of all that comes to this agent; parts for a partner land where they leave from.
  void collect_parts() {
    for (Route& route : led_) {
      const std::size_t theirs = nodes_.ranks_of(route.partner).size();
      route.incoming = scratch_->take(sum(route.receive_sizes));
      receive_from(route.their_agent, route.incoming, kCrossTag, route.crossed);
      route.outgoing = scratch_->take(sum(route.send_sizes));
      ByteSpan left = route.outgoing;
      for (std::size_t p = 0; p < peers_.size(); ++p) {
        const ByteSpan place = left.first(sum(std::span(route.send_sizes).subspan(p * theirs, theirs)));
        left = left.subspan(place.size());
        if (peers_[p] != me_) {
          receive_from(peers_[p], place, kCollectTag, route.collected);
        } else {
          const ByteView own = parts_for(route.partner);
          std::copy(own.begin(), own.end(), place.begin());
        }
      }
    }
  }

  void cross(Route& route) {
    mpi::wait(route.collected, rounds_.idle, mpi::Deadline::never(), kWhat);
    send_to(route.their_agent, route.outgoing, kCrossTag);
  }

  // What came from a partner is ordered by sender, then by receiver; each peer gets its own in the order of senders.
  void deal(Route& route) {
    mpi::wait(route.crossed, rounds_.idle, mpi::Deadline::never(), kWhat);
    const std::size_t theirs = nodes_.ranks_of(route.partner).size();
    std::vector<ByteSpan> dealt;  // [peers]
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      const std::uint64_t bytes = sum(std::span(route.receive_sizes).subspan(p * theirs, theirs));
      dealt.push_back(peers_[p] == me_ ? landing(route.partner) : scratch_->take(bytes));
      STOWAGE_ASSERT(kAssertLight, dealt.back().size() == bytes, "{} bytes for a place of {}", bytes,
                     dealt.back().size());
    }
    std::vector<ByteSpan> free = dealt;
    ByteView left = route.incoming;
    for (std::size_t t = 0; t < theirs; ++t) {
      for (std::size_t p = 0; p < peers_.size(); ++p) {
        const std::uint64_t size = route.receive_sizes[p * theirs + t];
        std::copy_n(left.begin(), size, free[p].begin());
        left = left.subspan(size);
        free[p] = free[p].subspan(size);
      }
    }
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      if (peers_[p] != me_) {
        send_to(peers_[p], dealt[p], kDealTag);
      } else if (!nodes_.consecutive(route.partner)) {
        spread(dealt[p], route.partner);
      }
    }
  }

  // Puts parts from the ranks of a node where they belong.
  void spread(ByteView parts, std::size_t node) {
    for (const std::size_t from : nodes_.ranks_of(node)) {
      std::copy_n(parts.begin(), receive_.size(from), receive_.of(from).begin());
      parts = parts.subspan(receive_.size(from));
    }
  }

  const mpi::Group& group_;
  const NodeMap& nodes_;
  const Parts<ByteView>& send_;
  const Parts<ByteSpan>& receive_;
  const mpi::Rounds& rounds_;
  mpi::Lent<Scratch> scratch_;
  std::size_t me_ = 0;
  std::size_t node_ = 0;
  std::span<const std::size_t> peers_;  // the ranks of this node
  std::vector<Route> routes_;           // through others
  std::vector<Route> led_;              // through this rank
  Requests pending_;                    // what need only be complete at the end
};

}  // namespace

void all_to_all_by_node(const mpi::Group& group, const NodeMap& nodes, ByteView send,
                        std::span<const std::uint64_t> send_sizes, ByteSpan receive,
                        std::span<const std::uint64_t> receive_sizes, const mpi::Rounds& rounds) {
  const auto n = static_cast<std::size_t>(group.size());
  STOWAGE_ASSERT(kAssertLight, nodes.ranks() == n && send_sizes.size() == n && receive_sizes.size() == n,
                 "nodes of {} ranks, {} and {} sizes for {} ranks", nodes.ranks(), send_sizes.size(),
                 receive_sizes.size(), n);
  const Parts<ByteView> to_send(send, send_sizes);
  const Parts<ByteSpan> to_receive(receive, receive_sizes);
  NodeExchange(group, nodes, to_send, to_receive, rounds).run();
}

}  // namespace stowage::exchange
