// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <list>
#include <vector>

#include "base/assert.hpp"
#include "mpi/reduce.hpp"
#include "mpi/rounds.hpp"
#include "read/block_checks.hpp"
#include "read/collective_file.hpp"
#include "read/reader.hpp"

namespace stowage::read {
namespace {

// The part of one rank's work that lies in one shard, in groups of at most `round_bytes`, at least one extent each.
std::vector<std::span<const Extent>> groups_in(std::span<const Extent> extents, std::uint32_t shard,
                                               std::uint64_t round_bytes) {
  const std::span<const Extent> here(std::ranges::lower_bound(extents, shard, {}, &Extent::shard),
                                     std::ranges::upper_bound(extents, shard, {}, &Extent::shard));
  std::vector<std::span<const Extent>> groups;
  std::size_t begin = 0;
  std::uint64_t bytes = 0;
  for (std::size_t e = 0; e < here.size(); ++e) {
    const std::uint64_t length = here[e].end - here[e].begin;
    if (e > begin && bytes + length > round_bytes) {
      groups.push_back(here.subspan(begin, e - begin));
      begin = e;
      bytes = 0;
    }
    bytes += length;
  }
  if (begin < here.size()) groups.push_back(here.subspan(begin));
  return groups;
}

std::uint64_t bytes_in(std::span<const Extent> extents) {
  std::uint64_t bytes = 0;
  for (const Extent& extent : extents) bytes += extent.end - extent.begin;
  return bytes;
}

class CollectiveReader final : public Reader {
 public:
  CollectiveReader(std::span<const ShardInfo> shards, MPI_Comm comm, std::uint32_t open_files, mpi::Idle idle,
                   std::uint64_t round_bytes)
      : shards_(shards), comm_(comm), capacity_(open_files), idle_(std::move(idle)), round_bytes_(round_bytes) {
    if (open_files == 0) fail(STOWAGE_INVALID_ARGUMENT, "the number of open files must be >= 1, got 0");
  }

  void read(const ReadPlan& plan, int rank, ByteSpan out) override {
    STOWAGE_ASSERT(kAssertLight, out.size() == plan.bytes_of(rank), "a buffer of {} bytes for {}", out.size(),
                   plan.bytes_of(rank));
    for (const Extent& extent : plan.extents) {  // of all ranks, so that they refuse together
      STOWAGE_ASSERT(kAssertLight, extent.end - extent.begin <= mpi::kRoundBytes, "an extent of {} bytes",
                     extent.end - extent.begin);
    }
    failure_ = nullptr;
    // The transfers block, so they begin only when every rank is here; until then `idle` can end the wait.
    mpi::everywhere(comm_, true, idle_);
    auto next = plan.extents.begin();
    while (next != plan.extents.end()) {
      const std::uint32_t shard = next->shard;
      CollectiveFile* file = open(shard);
      if (file == nullptr) break;
      read_shard(*file, shard, plan, rank, out);
      next = std::find_if(next, plan.extents.end(), [&](const Extent& extent) { return extent.shard != shard; });
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Open {
    std::uint32_t shard;
    std::unique_ptr<CollectiveFile> file;
  };

  // Runs local work; what it throws is kept, the first of a read(), for when no other rank waits any more.
  template <typename Work>
  bool attempt(Work&& work) {
    try {
      work();
      return true;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }

  // Collective. Null on every rank if the shard cannot be opened on some.
  CollectiveFile* open(std::uint32_t shard) {
    const auto found = std::ranges::find(open_, shard, &Open::shard);
    if (found != open_.end()) {
      open_.splice(open_.begin(), open_, found);
      return open_.front().file.get();
    }
    // What one rank alone can find wrong must be found before the collective call, which would wait for it.
    if (!mpi::everywhere(comm_, attempt([&] { check_size(shards_[shard]); }), idle_)) return nullptr;
    if (open_.size() >= capacity_) open_.pop_back();
    std::unique_ptr<CollectiveFile> file;
    const bool opened = attempt([&] {
      const ShardInfo& info = shards_[shard];
      file = info.format == config::Format::hdf5 ? open_hdf5_file(info, comm_) : open_mpiio_file(info, comm_);
    });
    if (!mpi::everywhere(comm_, opened, idle_)) {
      static_cast<void>(file.release());  // closing would wait for the rank that could not open
      return nullptr;
    }
    open_.push_front({shard, std::move(file)});
    return open_.front().file.get();
  }

  static void check_size(const ShardInfo& shard) {
    const source::InputFile file(shard.file);
    if (file.size() >= shard.base + shard.bytes) return;
    fail(STOWAGE_DATA_ERROR, "{}: expected tokens up to byte {} as when the run began, found {} bytes", shard.file,
         shard.base + shard.bytes, file.size());
  }

  // Collective: as many transfers as the rank with the most to read needs. Takes this rank's bytes from `out`.
  void read_shard(CollectiveFile& file, std::uint32_t shard, const ReadPlan& plan, int rank, ByteSpan& out) {
    std::size_t rounds = 0;
    for (int r = 0; r < plan.ranks(); ++r) {
      rounds = std::max(rounds, groups_in(plan.extents_of(r), shard, round_bytes_).size());
    }
    const auto mine = groups_in(plan.extents_of(rank), shard, round_bytes_);
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto extents = round < mine.size() ? mine[round] : std::span<const Extent>();
      const ByteSpan part = out.first(bytes_in(extents));
      attempt([&] { count(file.read(extents, part)); });
      attempt([&] { check(extents, part); });
      stats_.bytes += part.size();
      stats_.extents += extents.size();
      out = out.subspan(part.size());
      if (idle_) attempt(idle_);
    }
  }

  void count(const Transfer& transfer) {
    if (transfer.collective) {
      ++stats_.collective_transfers;
    } else {
      ++stats_.broken_transfers;
      stats_.broken_cause = transfer.cause;
    }
  }

  void check(std::span<const Extent> extents, ByteView bytes) {
    for (const Extent& extent : extents) {
      const ByteView part = bytes.first(extent.end - extent.begin);
      stats_.blocks_checked += checks_.check(extent, part, shards_[extent.shard].file);
      bytes = bytes.subspan(part.size());
    }
  }

  std::span<const ShardInfo> shards_;
  MPI_Comm comm_;
  std::size_t capacity_;
  mpi::Idle idle_;
  std::uint64_t round_bytes_;
  std::list<Open> open_;  // most recently used first; the same on every rank
  source::FileCache checksum_file_{1};
  BlockChecks checks_{shards_, checksum_file_};
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<Reader> make_collective_reader(std::span<const ShardInfo> shards, MPI_Comm comm,
                                               std::uint32_t open_files, mpi::Idle idle, std::uint64_t round_bytes) {
  return std::make_unique<CollectiveReader>(shards, comm, open_files, std::move(idle), round_bytes);
}

}  // namespace stowage::read
