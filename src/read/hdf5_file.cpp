// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "h5/collective.hpp"
#include "read/collective_file.hpp"
#include "source/hdf5_schema.hpp"

namespace stowage::read {
namespace {

class Hdf5File final : public CollectiveFile {
 public:
  Hdf5File(const ShardInfo& shard, MPI_Comm comm)
      : token_bytes_(source::token_bytes(shard.type)),
        file_(h5::File::open_read(shard.file, h5::collective_file_access(comm))),
        tokens_(h5::open_dataset(file_, source::schema::kTokens)) {
    const auto found = h5::contiguous_extent(file_, tokens_, source::schema::kTokens, shard.base + shard.bytes);
    if (found.offset != shard.base || found.bytes != shard.bytes) {
      fail(STOWAGE_DATA_ERROR,
           "{}: {}: expected {} bytes at offset {} as when the run began, found {} at {}; was the file replaced?",
           shard.file, source::schema::kTokens, shard.bytes, shard.base, found.bytes, found.offset);
    }
  }

  Transfer read(std::span<const Extent> extents, ByteSpan out) override {
    std::vector<h5::ElementRange> ranges;
    for (const Extent& extent : extents) {
      ranges.push_back({extent.begin / token_bytes_, (extent.end - extent.begin) / token_bytes_});
    }
    const auto report = h5::read_ranges_together(file_, tokens_, source::schema::kTokens, ranges, out);
    return {report.collective, report.cause};
  }

 private:
  std::uint32_t token_bytes_;
  h5::File file_;
  h5::DatasetId tokens_;  // closes before file_
};

}  // namespace

std::unique_ptr<CollectiveFile> open_hdf5_file(const ShardInfo& shard, MPI_Comm comm) {
  return std::make_unique<Hdf5File>(shard, comm);
}

}  // namespace stowage::read
