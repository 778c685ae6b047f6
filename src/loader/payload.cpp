// SPDX-License-Identifier: Apache-2.0
#include "loader/payload.hpp"

#include <cstring>

#include "base/fault_point.hpp"
#include "mpi/lent.hpp"
#include "source/shard.hpp"

namespace stowage::loader {
namespace {

std::unique_ptr<read::Reader> make_reader(const config::Config& config, const Catalogue& catalogue,
                                          exchange::Team& team) {
  // One process alone has nobody to read together with.
  if (config.io == config::Io::cooperative || team.communicator() == MPI_COMM_NULL) {
    return read::make_cooperative_reader(catalogue.shards(), config.limits.open_files, config.cache);
  }
  return read::make_collective_reader(catalogue.shards(), team.communicator(), config.limits.open_files,
                                      [&team] { team.idle(); });
}

}  // namespace

Payload::Payload(const config::Config& config, const Catalogue& catalogue, exchange::Team& team)
    : catalogue_(catalogue), team_(team), reader_(make_reader(config, catalogue, team)) {}

Payload::~Payload() = default;

void Payload::choose(const StepBatch& batch, const plan::Plan& plan, const std::vector<int>& constructors) {
  segments_ = batch.segments.size();
  std::vector<int> to(segments_, -1);
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    for (std::uint32_t m = plan.replica_begin[r]; m < plan.replica_begin[r + 1]; ++m) {
      for (const std::uint32_t s : plan.sequences(m)) to[s] = constructors[r];
    }
  }

  pieces_.clear();
  piece_segment_.clear();
  piece_to_.clear();
  for (std::uint32_t s = 0; s < segments_; ++s) {
    if (to[s] < 0) continue;
    const Segment& segment = batch.segments[s];
    const std::uint64_t width = source::token_bytes(catalogue_.shards()[segment.shard].type);
    const std::uint64_t begin = segment.shard_token * width;
    pieces_.push_back({segment.shard, begin, begin + segment.piece.tokens * width});
    piece_segment_.push_back(s);
    piece_to_.push_back(to[s]);
  }
  plan_ = read::plan_reads(pieces_, catalogue_.shards(), team_.size());
}

void Payload::read() {
  fault_point("reading");
  buffer_.resize(plan_.bytes_of(team_.rank()));
  reader_->read(plan_, team_.rank(), buffer_);
}

ReceivedTokens Payload::exchange() {
  const auto ranks = static_cast<std::size_t>(team_.size());
  const int me = team_.rank();
  std::vector<std::uint64_t> send_sizes(ranks, 0);
  std::vector<std::uint64_t> receive_sizes(ranks, 0);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const std::uint64_t bytes = pieces_[p].end - pieces_[p].begin;
    if (plan_.places[p].rank == me) send_sizes[static_cast<std::size_t>(piece_to_[p])] += bytes;
    if (piece_to_[p] == me) receive_sizes[static_cast<std::size_t>(plan_.places[p].rank)] += bytes;
  }
  std::vector<std::uint64_t> send_at(ranks + 1, 0);
  std::vector<std::uint64_t> receive_at(ranks + 1, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    send_at[r + 1] = send_at[r] + send_sizes[r];
    receive_at[r + 1] = receive_at[r] + receive_sizes[r];
  }

  // Between two ranks pieces travel in the order of the step's segments, which both know.
  mpi::Lent<Bytes> send{Bytes(send_at[ranks])};
  mpi::Lent<ReceivedTokens> lent{ReceivedTokens()};
  ReceivedTokens& received = *lent;
  received.bytes_.resize(receive_at[ranks]);
  received.begin_.resize(segments_);
  received.size_.resize(segments_);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const std::uint64_t bytes = pieces_[p].end - pieces_[p].begin;
    const read::Place place = plan_.places[p];
    if (place.rank == me && bytes > 0) {
      std::uint64_t& at = send_at[static_cast<std::size_t>(piece_to_[p])];
      std::memcpy(send->data() + at, buffer_.data() + place.offset, bytes);
      at += bytes;
    }
    if (piece_to_[p] == me) {
      std::uint64_t& at = receive_at[static_cast<std::size_t>(place.rank)];
      received.begin_[piece_segment_[p]] = at;
      received.size_[piece_segment_[p]] = bytes;
      at += bytes;
    }
  }
  fault_point("all_to_all_2");
  team_.all_to_all(*send, send_sizes, received.bytes_, receive_sizes);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (static_cast<int>(r) != me) bytes_exchanged_ += send_sizes[r];
  }
  send.give_back();
  lent.give_back();
  return std::move(received);
}

RankStatistics Payload::statistics() const {
  RankStatistics statistics;
  statistics.bytes_read = reader_->stats().bytes;
  statistics.bytes_cached = reader_->stats().bytes_cached;
  statistics.reads = reader_->stats().extents;
  statistics.bytes_exchanged = bytes_exchanged_;
  return statistics;
}

}  // namespace stowage::loader
