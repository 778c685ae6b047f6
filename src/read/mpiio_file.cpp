// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "base/narrow.hpp"
#include "mpi/file.hpp"
#include "read/collective_file.hpp"

namespace stowage::read {
namespace {

class MpiioFile final : public CollectiveFile {
 public:
  MpiioFile(const ShardInfo& shard, MPI_Comm comm) : base_(shard.base), file_(comm, shard.file) {}

  Transfer read(std::span<const Extent> extents, ByteSpan out) override {
    std::vector<mpi::FilePart> parts;
    for (const Extent& extent : extents) {
      parts.push_back({base_ + extent.begin, narrow<int>(extent.end - extent.begin, "bytes of an extent")});
    }
    file_.read_all(parts, out);
    return {};
  }

 private:
  std::uint64_t base_;
  mpi::File file_;
};

}  // namespace

std::unique_ptr<CollectiveFile> open_mpiio_file(const ShardInfo& shard, MPI_Comm comm) {
  return std::make_unique<MpiioFile>(shard, comm);
}

}  // namespace stowage::read
