// SPDX-License-Identifier: Apache-2.0
// Carrying out a read plan. Two ways with the same result; docs/performance.md compares them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "mpi/wait.hpp"
#include "read/read_plan.hpp"

namespace stowage::read {

// What this rank did since the reader was made.
struct ReadStats {
  std::uint64_t bytes = 0;         // of tokens
  std::uint64_t bytes_cached = 0;  // of these, from copies in the cache
  std::uint64_t extents = 0;
  std::uint64_t blocks_checked = 0;  // against their checksums
  // Collective reader only: transfers that HDF5 says were carried out collectively (all, of MPI-IO, which does not
  // say), and those that it carried out independently although it was asked for a collective one, with its last reason.
  std::uint64_t collective_transfers = 0;
  std::uint64_t broken_transfers = 0;
  std::string broken_cause;
};

class Reader {
 public:
  virtual ~Reader() = default;

  // Reads the extents of `rank`, this rank, into `out`, plan.bytes_of(rank) long, and checks the blocks that have
  // checksums. Throws STOWAGE_IO_ERROR, or STOWAGE_DATA_ERROR that names file, block, offset, expected and found. Not
  // thread-safe. Errors are this rank's own: with either reader, ranks must agree on the outcome (Team::agree) before
  // any of them uses `out` or reads again.
  virtual void read(const ReadPlan& plan, int rank, ByteSpan out) = 0;

  const ReadStats& stats() const noexcept { return stats_; }

 protected:
  ReadStats stats_;
};

// Each rank reads its own extents by pread. No rank waits for another. Holds at most `open_files` files open. Reads
// copies of files in the cache, and has them made there, if `cache` names a folder; see ShardCache. Borrows the shards.
std::unique_ptr<Reader> make_cooperative_reader(std::span<const ShardInfo> shards, std::uint32_t open_files,
                                                const config::Cache& cache = {});

// All ranks of `comm` together read one shard after another: Megatron files by MPI_File_read_at_all, HDF5 files by
// collective transfers of H5Dread. read() is collective over `comm`, whose ranks are those of the plan, and so is the
// reader's end. Ranks without extents take part too, and a rank that fails goes on taking part until the end; only a
// file that some rank cannot open ends the reading of all, and the ranks that could open it return normally, with the
// rest of `out` unset. The wait for all ranks to come is polled and calls `idle`, which may end it by throwing; then
// the transfers block inside MPI, so that a rank that dies stops the others for good, and `idle` runs between them.
// Opens at most `open_files` files at a time, the same on every rank, and one more for checksums; a transfer moves at
// most round_bytes a rank, or one extent. Borrows the shards and comm.
std::unique_ptr<Reader> make_collective_reader(std::span<const ShardInfo> shards, MPI_Comm comm,
                                               std::uint32_t open_files, mpi::Idle idle = {},
                                               std::uint64_t round_bytes = std::uint64_t{256} << 20);

}  // namespace stowage::read
