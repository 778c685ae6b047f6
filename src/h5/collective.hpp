// SPDX-License-Identifier: Apache-2.0
// Files that the ranks of a communicator open together, and collective transfers (parallel HDF5).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "h5/dataset.hpp"

namespace stowage::h5 {

// file_access() with the MPI file driver: for File::open_read, which is collective over `comm` then, as the end of that
// File is. Metadata is read by one rank and handed on.
PropertyList collective_file_access(MPI_Comm comm);

struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};

// What HDF5 says about a transfer that was asked to be collective.
struct TransferReport {
  bool collective = true;
  std::string cause;  // why not, or empty
};

// Reads ranges of a one-dimensional dataset, ascending and disjoint, one after the other into `out`, as they are
// stored. Ranks may give different ranges, or none; those without take part and are reported on too. Collective over
// the communicator of `file`, and blocks inside MPI. Throws STOWAGE_DATA_ERROR.
TransferReport read_ranges_together(const File& file, const DatasetId& dataset, const std::string& name,
                                    std::span<const ElementRange> ranges, ByteSpan out);

}  // namespace stowage::h5
