// SPDX-License-Identifier: Apache-2.0
#include "base/assert.hpp"
#include "read/block_checks.hpp"
#include "read/reader.hpp"
#include "source/file_cache.hpp"

namespace stowage::read {
namespace {

class CooperativeReader final : public Reader {
 public:
  CooperativeReader(std::span<const ShardInfo> shards, std::uint32_t open_files)
      : shards_(shards), files_(open_files), checks_(shards, files_) {}

  void read(const ReadPlan& plan, int rank, ByteSpan out) override {
    STOWAGE_ASSERT(kAssertLight, out.size() == plan.bytes_of(rank), "a buffer of {} bytes for {}", out.size(),
                   plan.bytes_of(rank));
    for (const Extent& extent : plan.extents_of(rank)) {
      const ShardInfo& shard = shards_[extent.shard];
      const ByteSpan part = out.first(extent.end - extent.begin);
      files_.file(shard.file).read(shard.base + extent.begin, part);
      stats_.blocks_checked += checks_.check(extent, part);
      stats_.bytes += part.size();
      ++stats_.extents;
      out = out.subspan(part.size());
    }
  }

 private:
  std::span<const ShardInfo> shards_;
  source::FileCache files_;
  BlockChecks checks_;
};

}  // namespace

std::unique_ptr<Reader> make_cooperative_reader(std::span<const ShardInfo> shards, std::uint32_t open_files) {
  return std::make_unique<CooperativeReader>(shards, open_files);
}

}  // namespace stowage::read
