// SPDX-License-Identifier: Apache-2.0
// HDF5 shards that must be refused. Contradictory ones carry a right checksum: they come from a wrong writer, not from
// damage.
#include <filesystem>

#include "base/hash.hpp"
#include "h5/attribute.hpp"
#include "h5/dataset.hpp"
#include "h5/string.hpp"
#include "source/hdf5_schema.hpp"
#include "source/hdf5_shard.hpp"
#include "support/errors.hpp"

namespace stowage::source {
namespace {

using test::TemporaryFolder;

class BadHdf5 : public testing::Test {
 protected:
  void expect_error(const std::string& text) const {
    EXPECT_ERROR(read_hdf5(path_), STOWAGE_DATA_ERROR, path_ + ": " + text);
  }

  // A shard whose index is as given, and whose checksum is right.
  void create(std::vector<std::uint64_t> begin, std::vector<std::uint64_t> documents, std::uint64_t tokens) const {
    Contents contents;
    contents.shard.type = TokenType::u16;
    contents.shard.block_bytes = 4096;
    contents.shard.tokens = tokens;
    contents.shard.begin = std::move(begin);
    contents.documents = std::move(documents);
    const std::vector<std::uint64_t> checksums(block_count(contents.shard));
    contents.block_checksums_checksum = hash64(std::as_bytes(std::span(checksums)));
    schema::create_without_tokens(path_, contents, checksums);
  }

  // Changes a sound shard through HDF5.
  template <typename Change>
  void change(Change&& apply) const {
    test::write_shard(folder_);
    h5::FileId file(h5::call({"open", "", path_}, H5Fopen, path_.c_str(), H5F_ACC_RDWR, h5::file_access().id()));
    apply(file.id());
    file.close({"close", "", path_});
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("shard.h5");
};

void replace_attribute(hid_t file, const char* name, std::uint64_t value) {
  H5Adelete(file, name);
  h5::write_attribute({file, "shard.h5"}, name, value);
}

void replace_dataset(hid_t file, const char* name, hid_t type, hsize_t length, bool chunked) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const h5::PropertyList creation(H5Pcreate(H5P_DATASET_CREATE));
  if (chunked) {
    H5Pset_chunk(creation.id(), 1, &length);
  } else {
    H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
  }
  const h5::SpaceId space(H5Screate_simple(1, &length, nullptr));
  const h5::DatasetId dataset(H5Dcreate2(file, name, type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
}

template <typename T>
void overwrite_dataset(hid_t file, const char* name, hid_t type, const T* values) {
  const h5::DatasetId dataset(H5Dopen2(file, name, H5P_DEFAULT));
  H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

TEST_F(BadHdf5, AMissingFileIsNamed) {
  EXPECT_ERROR(read_hdf5(path_), STOWAGE_IO_ERROR, "cannot open " + path_ + ": No such file or directory");
}

TEST_F(BadHdf5, AFileOfAnotherKindIsRefused) {
  folder_.write("shard.h5", "not an HDF5 file");

  expect_error("cannot open: HDF5: file signature not found");
}

TEST_F(BadHdf5, AnotherHdf5FileIsRefused) {
  h5::File::create(path_).close();

  expect_error("cannot read attribute format: HDF5: can't locate attribute: 'format'");
}

TEST_F(BadHdf5, AnotherFormatNameIsShown) {
  change([](hid_t file) {
    H5Adelete(file, "format");
    h5::write_attribute({file, "shard.h5"}, "format", std::string("other"));
  });

  expect_error("attribute format: expected 'stowage-tokens', found 'other'");
}

TEST_F(BadHdf5, AnotherVersionIsShown) {
  change([](hid_t file) { replace_attribute(file, "version", 2); });

  expect_error("attribute version: expected 1, found 2");
}

TEST_F(BadHdf5, AnUnusableBlockSizeIsShown) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{4100}, std::uint64_t{1} << 40}) {
    change([size](hid_t file) { replace_attribute(file, "block_bytes", size); });

    expect_error("attribute block_bytes: expected a multiple of 8 in [512, 16777216], found " + std::to_string(size));
  }
}

TEST_F(BadHdf5, AChangedVocabularyDoesNotMatchTheIndexChecksum) {
  change([](hid_t file) { replace_attribute(file, "vocab_size", 301); });

  expect_error("expected index checksum ");
}

// Values that would be sound by themselves.
TEST_F(BadHdf5, OtherOffsetsDoNotMatchTheIndexChecksum) {
  const std::vector<std::uint64_t> offsets{0, 50, 100, 101, 108, 5000};
  change([&](hid_t file) { overwrite_dataset(file, "/offsets", H5T_NATIVE_UINT64, offsets.data()); });

  expect_error("expected index checksum ");
}

TEST_F(BadHdf5, OtherDocumentsDoNotMatchTheIndexChecksum) {
  const std::vector<std::uint64_t> documents{0, 2, 3, 5};
  change([&](hid_t file) { overwrite_dataset(file, "/documents", H5T_NATIVE_UINT64, documents.data()); });

  expect_error("expected index checksum ");
}

TEST_F(BadHdf5, OtherInputsDoNotMatchTheIndexChecksum) {
  const std::string inputs = "b.txt" + std::string(10, '\0') + "longer-name.txt";
  const h5::TypeId type = h5::fixed_string_type(15, {"make", "a type", "test"});
  change([&](hid_t file) { overwrite_dataset(file, "/provenance/inputs", type.id(), inputs.data()); });

  expect_error("expected index checksum ");
}

TEST_F(BadHdf5, ATruncatedFileIsRefused) {
  test::write_shard(folder_);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);

  expect_error("cannot open: HDF5: truncated file: eof = ");
}

TEST_F(BadHdf5, AFileThatIsTooLongIsRefused) {
  test::write_shard(folder_);
  const auto size = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, size + 5);

  expect_error(fmt::format("expected a file of {} bytes, found {}", size, size + 5));
}

TEST_F(BadHdf5, AMissingDatasetIsNamed) {
  change([](hid_t file) { H5Ldelete(file, "/offsets", H5P_DEFAULT); });

  expect_error("cannot open dataset /offsets: HDF5: object 'offsets' doesn't exist");
}

TEST_F(BadHdf5, ChunkedTokensAreRefused) {
  change([](hid_t file) { replace_dataset(file, "/tokens", H5T_STD_U16LE, 5000, true); });

  expect_error("/tokens: expected a contiguous dataset within the file, found another layout");
}

TEST_F(BadHdf5, TokensThatAreNoIntegersAreRefused) {
  change([](hid_t file) { replace_dataset(file, "/tokens", H5T_IEEE_F32LE, 5000, false); });

  expect_error(
      "/tokens: expected little-endian integers of type u8, i8, u16, i16, i32, u32 or i64, found another type");
}

TEST_F(BadHdf5, BigEndianTokensAreRefused) {
  change([](hid_t file) { replace_dataset(file, "/tokens", H5T_STD_U16BE, 5000, false); });

  expect_error("/tokens: expected little-endian integers");
}

TEST_F(BadHdf5, AWrongNumberOfBlockChecksumsIsShown) {
  change([](hid_t file) { replace_dataset(file, "/block_checksums", H5T_STD_U64LE, 4, false); });

  expect_error("/block_checksums: expected 3 little-endian u64 for 5000 tokens, found 4 elements");
}

TEST_F(BadHdf5, OffsetsOfAnotherTypeAreRefused) {
  change([](hid_t file) { replace_dataset(file, "/offsets", H5T_STD_U32LE, 6, false); });

  expect_error("/offsets: expected little-endian numbers of 8 bytes, found another type");
}

TEST_F(BadHdf5, AnEmptyIndexIsRefused) {
  change([](hid_t file) { replace_dataset(file, "/documents", H5T_STD_U64LE, 0, false); });

  expect_error("/documents: expected at least 1 element, found 0");
}

TEST_F(BadHdf5, AnEmptySourceIsRefused) {
  create({0}, {0}, 0);

  expect_error("empty source: expected at least 1 sequence, found 0");
}

TEST_F(BadHdf5, OffsetsThatDoNotBeginAtZeroAreRefused) {
  create({1, 5}, {0, 1}, 5);

  expect_error("/offsets[0]: expected 0, found 1");
}

TEST_F(BadHdf5, OffsetsThatGoBackAreRefused) {
  create({0, 4, 3, 5}, {0, 3}, 5);

  expect_error("/offsets[2]: expected at least 4, the one before, found 3");
}

TEST_F(BadHdf5, AnOffsetPastTheTokensIsRefused) {
  create({0, 4, 6}, {0, 2}, 5);

  expect_error("/offsets[2], the last: expected 5, found 6");
}

TEST_F(BadHdf5, ADocumentIndexThatDoesNotEndAtTheLastSequenceIsRefused) {
  create({0, 4, 5}, {0, 1}, 5);

  expect_error("/documents[1], the last: expected 2, found 1");
}

}  // namespace
}  // namespace stowage::source
