// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/hash.hpp"
#include "source/block_hasher.hpp"
#include "source/hdf5_schema.hpp"
#include "source/input_file.hpp"
#include "source/output_file.hpp"
#include "source/writer_base.hpp"

namespace stowage::source {
namespace {

using namespace schema;

class Hdf5Writer final : public WriterBase {
 public:
  Hdf5Writer(const std::string& path, const WriterOptions& options)
      : WriterBase(path, config::Format::hdf5, options),
        force_(options.force),
        file_(path),
        raw_tokens_(path + ".tokens"),
        checksums_(kBlockBytes) {
    if (!force_) refuse_existing(path);
    contents().shard.block_bytes = kBlockBytes;
    contents().provenance = Provenance{options.tokenizer, "stowage " STOWAGE_VERSION, options.provenance};
  }

 private:
  void append(ByteView raw) override {
    raw_tokens_.append(raw);
    checksums_.add(raw);
  }

  void publish() override {
    raw_tokens_.flush();
    const std::vector<std::uint64_t>& checksums = checksums_.finish();
    contents().block_checksums_checksum = hash64(std::as_bytes(std::span(checksums)));
    copy_tokens(create_without_tokens(file_.temporary(), contents(), checksums));
    if (!force_) refuse_existing(file_.path());
    file_.publish();
  }

  void copy_tokens(std::uint64_t base) {
    constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
    const std::uint64_t bytes = contents().shard.tokens * token_bytes(contents().shard.type);
    Bytes piece(std::min(kPiece, bytes));
    for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
      piece.resize(std::min<std::uint64_t>(piece.size(), bytes - done));
      pread_exact(raw_tokens_.fd(), raw_tokens_.temporary(), done, piece);
      file_.write_at(base + done, piece);
    }
  }

  bool force_;
  OutputFile file_;
  OutputFile raw_tokens_;  // never published: an array of known length is needed before it can be placed
  BlockHasher checksums_;
};

}  // namespace

std::unique_ptr<ShardWriter> make_hdf5_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<Hdf5Writer>(path, options);
}

}  // namespace stowage::source
