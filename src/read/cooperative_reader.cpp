// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "read/block_checks.hpp"
#include "read/reader.hpp"
#include "read/shard_cache.hpp"
#include "source/file_cache.hpp"

namespace stowage::read {
namespace {

class CooperativeReader final : public Reader {
 public:
  CooperativeReader(std::span<const ShardInfo> shards, std::uint32_t open_files, const config::Cache& cache)
      : shards_(shards), files_(open_files), checks_(shards, files_) {
    if (!cache.directory.empty()) cache_.emplace(shards, files_, cache);
  }

  void read(const ReadPlan& plan, int rank, ByteSpan out) override {
    STOWAGE_ASSERT(kAssertLight, out.size() == plan.bytes_of(rank), "a buffer of {} bytes for {}", out.size(),
                   plan.bytes_of(rank));
    std::optional<std::uint32_t> shard;
    const std::string* path = nullptr;
    for (const Extent& extent : plan.extents_of(rank)) {
      const ByteSpan part = out.first(extent.end - extent.begin);
      if (shard != extent.shard) {
        shard = extent.shard;
        path = cache_ ? &cache_->path_of(*shard) : &shards_[*shard].file;
      }
      if (path != &shards_[*shard].file && !read_copy(extent, *path, part)) path = &shards_[*shard].file;
      if (path == &shards_[*shard].file) {
        read(extent, *path, part);
        if (cache_) cache_->count(*shard, part.size());
      }
      out = out.subspan(part.size());
    }
  }

 private:
  void read(const Extent& extent, const std::string& path, ByteSpan part) {
    files_.file(path).read(shards_[extent.shard].base + extent.begin, part);
    stats_.blocks_checked += checks_.check(extent, part, path);
    stats_.bytes += part.size();
    ++stats_.extents;
  }

  // False: it cannot be read as it should be, and is gone.
  bool read_copy(const Extent& extent, const std::string& path, ByteSpan part) {
    try {
      read(extent, path, part);
      stats_.bytes_cached += part.size();
      return true;
    } catch (const Error& error) {
      cache_->distrust(extent.shard, error.what());
      return false;
    }
  }

  std::span<const ShardInfo> shards_;
  source::FileCache files_;
  BlockChecks checks_;
  std::optional<ShardCache> cache_;
};

}  // namespace

std::unique_ptr<Reader> make_cooperative_reader(std::span<const ShardInfo> shards, std::uint32_t open_files,
                                                const config::Cache& cache) {
  return std::make_unique<CooperativeReader>(shards, open_files, cache);
}

}  // namespace stowage::read
