// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "source/megatron_format.hpp"
#include "source/output_file.hpp"
#include "source/system_error.hpp"
#include "source/writer_base.hpp"

namespace stowage::source {
namespace {

using namespace megatron;

std::uint8_t type_code(TokenType type) {
  const auto known = std::ranges::find(kTypeCodes, type, [](const auto& entry) { return entry.second; });
  if (known == kTypeCodes.end()) {
    fail(STOWAGE_INVALID_ARGUMENT, "the Megatron format has no token type {}; use i32 or i64", token_type_name(type));
  }
  return known->first;
}

template <typename T>
void append_value(OutputFile& file, T value) {
  file.append(bytes_of(value));
}

class MegatronWriter final : public WriterBase {
 public:
  MegatronWriter(const std::string& prefix, const WriterOptions& options)
      : WriterBase(prefix, config::Format::megatron, options),
        type_code_(type_code(options.type)),
        force_(options.force),
        bin_(bin_path(prefix)),
        idx_(idx_path(prefix)) {
    refuse_overwrite();
  }

 private:
  void append(ByteView raw) override {
    if (raw.size() / token_bytes(contents().shard.type) > std::numeric_limits<std::int32_t>::max()) {
      fail(STOWAGE_INVALID_ARGUMENT,
           "{}: sequence {} is longer than the 2,147,483,647 tokens that the format can index", bin_.path(),
           contents().shard.sequences());
    }
    bin_.append(raw);
  }

  void publish() override {
    write_index();
    refuse_overwrite();
    // Without an index there is no pair: a crash in between leaves the old pair, none, or the new one, never a mixture.
    if (::unlink(idx_.path().c_str()) != 0 && errno != ENOENT) fail_with_errno("replace", idx_.path());
    bin_.publish();
    idx_.publish();
  }

  void refuse_overwrite() const {
    if (force_) return;
    refuse_existing(idx_.path());
    refuse_existing(bin_.path());
  }

  void write_index() {
    const Shard& shard = contents().shard;
    idx_.append(bytes_of(kMagic));
    append_value(idx_, kVersion);
    append_value(idx_, type_code_);
    append_value(idx_, shard.sequences());
    append_value(idx_, std::uint64_t{contents().documents.size()});
    for (std::uint64_t s = 0; s < shard.sequences(); ++s) {
      append_value(idx_, narrow<std::int32_t>(shard.begin[s + 1] - shard.begin[s], "sequence length"));
    }
    for (std::uint64_t s = 0; s < shard.sequences(); ++s) {
      append_value(idx_, narrow<std::int64_t>(shard.begin[s] * token_bytes(shard.type), "byte pointer"));
    }
    for (const std::uint64_t boundary : contents().documents) append_value(idx_, boundary);
  }

  std::uint8_t type_code_;
  bool force_;
  OutputFile bin_;
  OutputFile idx_;
};

}  // namespace

std::unique_ptr<ShardWriter> make_megatron_writer(const std::string& prefix, const WriterOptions& options) {
  return std::make_unique<MegatronWriter>(prefix, options);
}

}  // namespace stowage::source
