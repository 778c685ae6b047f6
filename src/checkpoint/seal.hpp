// SPDX-License-Identifier: Apache-2.0
// The checksums behind the HDF5 part of a checkpoint file, by which every changed, missing or surplus byte is noticed
// and its place named. HDF5 ends before them and does not mind. Little-endian:
//
//   u64 [n]   XXH3-64 of each block of the HDF5 part, the last block as short as it is
//   u64       bytes of the HDF5 part
//   u32       bytes of a block
//   u32       version
//   u64 [2]   XXH3-128 of all of the above, high and low half
//   8 bytes   "STWCKPT\n"
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace stowage::checkpoint {

inline constexpr std::size_t kBlockBytes = 4096;

// The HDF5 part with its checksums behind it.
Bytes sealed(Bytes hdf5);

// The HDF5 part of a file; throws STOWAGE_DATA_ERROR that names `path` and the first place that is wrong.
ByteView unsealed(ByteView file, const std::string& path);

}  // namespace stowage::checkpoint
