// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "h5/attribute.hpp"
#include "h5/dataset.hpp"
#include "h5/string.hpp"
#include "source/contents.hpp"
#include "source/hdf5_schema.hpp"
#include "source/input_file.hpp"
#include "source/verify.hpp"

namespace stowage::source {
namespace {

using namespace schema;

// An open shard; each read_ function fills its part of the contents.
struct Reader {
  const h5::File& file;
  std::uint64_t file_bytes;
  Contents& contents;

  void read_attributes();
  void read_tokens_extent();
  void read_checksums_extent();
  std::vector<std::uint64_t> read_index(const char* name);
  void check_index_checksum();
  void check_boundaries(const char* name, const std::vector<std::uint64_t>& values, std::uint64_t last);
};

void Reader::read_attributes() {
  const h5::AttributeOwner root{file.id(), file.path()};
  if (const auto format = h5::read_attribute<std::string>(root, kFormatAttribute); format != kFormat) {
    fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected '{}', found '{}'", file.path(), kFormatAttribute, kFormat,
         format);
  }
  if (const auto version = h5::read_attribute<std::uint64_t>(root, kVersionAttribute); version != kVersion) {
    fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected {}, found {}", file.path(), kVersionAttribute, kVersion,
         version);
  }
  const auto block_bytes = h5::read_attribute<std::uint64_t>(root, kBlockBytesAttribute);
  if (block_bytes < kMinBlockBytes || block_bytes > kMaxBlockBytes || block_bytes % 8 != 0) {
    fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected a multiple of 8 in [{}, {}], found {}", file.path(),
         kBlockBytesAttribute, kMinBlockBytes, kMaxBlockBytes, block_bytes);
  }
  Shard& shard = contents.shard;
  shard.block_bytes = narrow<std::uint32_t>(block_bytes);
  shard.vocab_size = h5::read_attribute<std::uint64_t>(root, kVocabSizeAttribute);
  contents.block_checksums_checksum = h5::read_attribute<std::uint64_t>(root, kBlockChecksumsAttribute);
  Provenance provenance;
  provenance.tokenizer = h5::read_attribute<std::string>(root, kTokenizerAttribute);
  const h5::GroupId group(
      h5::call({"open group", kProvenance, file.path()}, H5Gopen2, file.id(), kProvenance, H5P_DEFAULT));
  provenance.tool = h5::read_attribute<std::string>({group.id(), file.path()}, kToolAttribute);
  provenance.inputs = h5::read_strings(file, kInputs, file_bytes);
  contents.provenance = std::move(provenance);
}

void Reader::read_tokens_extent() {
  constexpr std::array kTypes{TokenType::u8,  TokenType::i8,  TokenType::u16, TokenType::i16,
                              TokenType::i32, TokenType::u32, TokenType::i64};
  const h5::DatasetId dataset = h5::open_dataset(file, kTokens);
  const h5::TypeId type = h5::dataset_type(file, dataset, kTokens);
  const auto found = std::ranges::find_if(kTypes, [&](TokenType candidate) {
    return h5::call({"compare the type of", kTokens, file.path()}, H5Tequal, type.id(), token_disk_type(candidate)) > 0;
  });
  if (found == kTypes.end()) {
    fail(STOWAGE_DATA_ERROR,
         "{}: {}: expected little-endian integers of type u8, i8, u16, i16, i32, u32 or i64, found another type",
         file.path(), kTokens);
  }
  const h5::Extent extent = h5::contiguous_extent(file, dataset, kTokens, file_bytes);
  contents.shard.type = *found;
  contents.shard.tokens = extent.elements;
  contents.shard.base = extent.offset;
}

void Reader::read_checksums_extent() {
  const h5::DatasetId dataset = h5::open_dataset(file, kBlockChecksums);
  const h5::Extent extent = h5::contiguous_extent(file, dataset, kBlockChecksums, file_bytes);
  const h5::TypeId type = h5::dataset_type(file, dataset, kBlockChecksums);
  const bool is_u64 =
      h5::call({"compare the type of", kBlockChecksums, file.path()}, H5Tequal, type.id(), H5T_STD_U64LE) > 0;
  const std::uint64_t blocks = block_count(contents.shard);
  if (!is_u64 || extent.elements != blocks) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected {} little-endian u64 for {} tokens, found {} elements{}", file.path(),
         kBlockChecksums, blocks, contents.shard.tokens, extent.elements, is_u64 ? "" : " of another type");
  }
  contents.shard.checksum_base = extent.offset;
}

std::vector<std::uint64_t> Reader::read_index(const char* name) {
  const h5::DatasetId dataset = h5::open_dataset(file, name);
  const h5::Extent extent = h5::contiguous_extent(file, dataset, name, file_bytes);
  if (extent.elements == 0) fail(STOWAGE_DATA_ERROR, "{}: {}: expected at least 1 element, found 0", file.path(), name);
  std::vector<std::uint64_t> values(extent.elements);
  h5::read_array<std::uint64_t>(file, dataset, name, values);
  return values;
}

void Reader::check_index_checksum() {
  const auto expected = h5::read_attribute<std::uint64_t>({file.id(), file.path()}, kIndexChecksumAttribute);
  if (const std::uint64_t found = index_checksum(contents); found != expected) {
    fail(STOWAGE_DATA_ERROR, "{}: expected index checksum {:016x}, found {:016x}; {}, {} or an attribute is damaged",
         file.path(), expected, found, kOffsets, kDocuments);
  }
}

void Reader::check_boundaries(const char* name, const std::vector<std::uint64_t>& values, std::uint64_t last) {
  if (values.front() != 0) {
    fail(STOWAGE_DATA_ERROR, "{}: {}[0]: expected 0, found {}", file.path(), name, values.front());
  }
  if (const auto descent = std::ranges::adjacent_find(values, std::greater<>()); descent != values.end()) {
    fail(STOWAGE_DATA_ERROR, "{}: {}[{}]: expected at least {}, the one before, found {}", file.path(), name,
         descent - values.begin() + 1, *descent, *(descent + 1));
  }
  if (values.back() != last) {
    fail(STOWAGE_DATA_ERROR, "{}: {}[{}], the last: expected {}, found {}", file.path(), name, values.size() - 1, last,
         values.back());
  }
}

// HDF5 itself refuses a file that is shorter than it should be, but not a longer one.
void check_file_size(const h5::File& file, std::uint64_t file_bytes) {
  haddr_t end = 0;
  h5::call({"read the size of", "", file.path()}, H5Fget_eoa, file.id(), &end);
  if (end != file_bytes) {
    fail(STOWAGE_DATA_ERROR, "{}: expected a file of {} bytes, found {}", file.path(), end, file_bytes);
  }
}

}  // namespace

Contents read_hdf5(const std::string& path) {
  const InputFile input(path);
  const h5::File file = h5::File::open_read(path);
  check_file_size(file, input.size());
  Contents contents;
  contents.format = config::Format::hdf5;
  contents.index_file = path;
  contents.shard.token_file = path;
  Reader reader{file, input.size(), contents};
  reader.read_attributes();
  reader.read_tokens_extent();
  reader.read_checksums_extent();
  contents.shard.begin = reader.read_index(kOffsets);
  contents.documents = reader.read_index(kDocuments);
  reader.check_index_checksum();
  if (contents.shard.sequences() == 0) {
    fail(STOWAGE_DATA_ERROR, "{}: empty source: expected at least 1 sequence, found 0", path);
  }
  reader.check_boundaries(kOffsets, contents.shard.begin, contents.shard.tokens);
  reader.check_boundaries(kDocuments, contents.documents, contents.shard.sequences());
  return contents;
}

}  // namespace stowage::source
