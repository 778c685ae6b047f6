// SPDX-License-Identifier: Apache-2.0
// One shard opened by all ranks of a communicator together; the two formats differ in who carries out the transfer.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "read/read_plan.hpp"

namespace stowage::read {

struct Transfer {
  bool collective = true;
  std::string cause;  // why it was not, or empty
};

// Everything here is collective over the communicator, the destructor too.
class CollectiveFile {
 public:
  virtual ~CollectiveFile() = default;

  // Reads extents of this shard, ascending, one after the other into `out`. Ranks may give different ones, or none.
  // Throws STOWAGE_IO_ERROR or STOWAGE_DATA_ERROR after the transfer, on the ranks that it concerns.
  virtual Transfer read(std::span<const Extent> extents, ByteSpan out) = 0;
};

// Throws STOWAGE_IO_ERROR, or STOWAGE_DATA_ERROR if the file is no longer what `shard` says. A rank may fail alone;
// the others' object must then not be destroyed, since closing would wait for all.
std::unique_ptr<CollectiveFile> open_mpiio_file(const ShardInfo& shard, MPI_Comm comm);
std::unique_ptr<CollectiveFile> open_hdf5_file(const ShardInfo& shard, MPI_Comm comm);

}  // namespace stowage::read
