// SPDX-License-Identifier: Apache-2.0
#include "source/hdf5_schema.hpp"

#include <array>
#include <vector>

#include "base/hash.hpp"
#include "h5/attribute.hpp"
#include "h5/dataset.hpp"
#include "h5/string.hpp"
#include "source/input_file.hpp"
#include "source/token_dispatch.hpp"

namespace stowage::source::schema {
namespace {

std::uint64_t hash_of(std::span<const std::uint64_t> values) {
  return hash64(std::as_bytes(values));
}

std::uint64_t hash_of(const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(texts.size());
  for (const std::string& text : texts) hashes.push_back(hash64(bytes_of(text)));
  return hash_of(hashes);
}

}  // namespace

std::uint64_t index_checksum(const Contents& contents) {
  const Shard& shard = contents.shard;
  const Provenance provenance = contents.provenance.value_or(Provenance{});
  const std::array<std::uint64_t, 11> parts{kVersion,
                                            shard.tokens,
                                            hash64(bytes_of(std::string_view(token_type_name(shard.type)))),
                                            shard.vocab_size,
                                            hash64(bytes_of(provenance.tokenizer)),
                                            shard.block_bytes,
                                            contents.block_checksums_checksum,
                                            hash64(bytes_of(provenance.tool)),
                                            hash_of(provenance.inputs),
                                            hash_of(shard.begin),
                                            hash_of(contents.documents)};
  return hash_of(parts);
}

hid_t token_disk_type(TokenType type) {
  return visit_token_type(type, [](auto zero) { return h5::disk_type<decltype(zero)>(); });
}

std::uint64_t create_without_tokens(const std::string& path, const Contents& contents,
                                    std::span<const std::uint64_t> block_checksums) {
  const Shard& shard = contents.shard;
  const Provenance provenance = contents.provenance.value_or(Provenance{});
  h5::File file = h5::File::create(path, kAlignment);
  const h5::AttributeOwner root{file.id(), path};
  h5::write_attribute(root, kFormatAttribute, std::string(kFormat));
  h5::write_attribute(root, kVersionAttribute, kVersion);
  h5::write_attribute(root, kVocabSizeAttribute, shard.vocab_size);
  h5::write_attribute(root, kTokenizerAttribute, provenance.tokenizer);
  h5::write_attribute(root, kBlockBytesAttribute, std::uint64_t{shard.block_bytes});
  h5::write_attribute(root, kBlockChecksumsAttribute, contents.block_checksums_checksum);
  h5::write_attribute(root, kIndexChecksumAttribute, index_checksum(contents));
  {
    const h5::GroupId group = h5::create_group(file, kProvenance);
    h5::write_attribute({group.id(), path}, kToolAttribute, provenance.tool);
  }
  h5::write_strings(file, kInputs, provenance.inputs);
  h5::write_array<std::uint64_t>(file, kOffsets, shard.begin);
  h5::write_array<std::uint64_t>(file, kDocuments, contents.documents);
  h5::write_array<std::uint64_t>(file, kBlockChecksums, block_checksums);
  h5::DatasetId tokens = h5::create_contiguous(file, kTokens, token_disk_type(shard.type), shard.tokens);
  const std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t base = h5::contiguous_extent(file, tokens, kTokens, no_limit).offset;
  tokens.reset();
  file.close();
  return base;
}

}  // namespace stowage::source::schema
