// SPDX-License-Identifier: Apache-2.0
// A file that the ranks of a communicator opened together (MPI-IO).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.hpp"

namespace stowage::mpi {

struct FilePart {
  std::uint64_t offset = 0;  // in the file, bytes
  int bytes = 0;
};

// All members but size() are collective over the communicator, and block inside MPI. The destructor closes,
// collectively too, while MPI is usable.
class File {
 public:
  // Throws STOWAGE_IO_ERROR with MPI's reason.
  File(MPI_Comm comm, std::string path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t size() const;

  // Reads the parts, ascending and disjoint, one after the other into `out`, which is as long as they are together and
  // at most kRoundBytes. Ranks may give different parts, or none. Throws STOWAGE_IO_ERROR, or STOWAGE_DATA_ERROR if the
  // file ends too early; the other ranks' transfer is complete all the same.
  void read_all(std::span<const FilePart> parts, ByteSpan out);

 private:
  void check_file(int rc, const char* call) const;

  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace stowage::mpi
