// SPDX-License-Identifier: Apache-2.0
#include "h5/dataset.hpp"

#include <array>
#include <fstream>
#include <limits>
#include <vector>

#include "h5/string.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::h5 {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

class Dataset : public testing::Test {
 protected:
  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.file("datasets.h5");
};

TEST_F(Dataset, ItsExtentTellsWhereItsBytesLie) {
  const std::vector<std::uint16_t> values{0x1122, 0x3344, 0x5566};
  File file = File::create(path_);
  DatasetId dataset = write_array<std::uint16_t>(file, "/values", values);
  const Extent extent = contiguous_extent(file, dataset, "/values", kNoLimit);
  dataset.reset();
  file.close();

  std::ifstream stream(path_, std::ios::binary);
  std::array<char, 6> raw{};
  stream.seekg(static_cast<std::streamoff>(extent.offset));
  stream.read(raw.data(), raw.size());

  EXPECT_EQ(extent.elements, 3U);
  EXPECT_EQ(extent.bytes, 6U);
  EXPECT_EQ(std::string_view(raw.data(), raw.size()), "\x22\x11\x44\x33\x66\x55");
}

TEST_F(Dataset, LargeOnesBeginAtTheAlignmentOfTheFile) {
  const File file = File::create(path_, 4096);
  const std::vector<std::uint8_t> small(16), large(5000);

  const DatasetId first = write_array<std::uint8_t>(file, "/small", small);
  const DatasetId second = write_array<std::uint8_t>(file, "/large", large);

  EXPECT_EQ(contiguous_extent(file, second, "/large", kNoLimit).offset % 4096, 0U);
}

TEST_F(Dataset, AnEmptyOneHasNoPlace) {
  const File file = File::create(path_);

  const DatasetId dataset = write_array<std::uint64_t>(file, "/none", std::vector<std::uint64_t>{});

  const Extent extent = contiguous_extent(file, dataset, "/none", kNoLimit);
  EXPECT_EQ(extent.offset, 0U);
  EXPECT_EQ(extent.bytes, 0U);
}

TEST_F(Dataset, OneThatReachesPastTheEndOfTheFileIsRefused) {
  const File file = File::create(path_);
  const DatasetId dataset = write_array<std::uint64_t>(file, "/values", std::vector<std::uint64_t>(100));

  EXPECT_ERROR(contiguous_extent(file, dataset, "/values", 700), STOWAGE_DATA_ERROR,
               path_ + ": /values: expected 100 elements of 8 bytes within the file of 700 bytes, found them to begin");
}

TEST_F(Dataset, AChunkedOneIsRefused) {
  const File file = File::create(path_);
  const hsize_t length = 10;
  const SpaceId space(H5Screate_simple(1, &length, nullptr));
  const PropertyList creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(creation.id(), 1, &length);
  const DatasetId dataset(
      H5Dcreate2(file.id(), "/chunked", H5T_STD_U64LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));

  EXPECT_ERROR(contiguous_extent(file, dataset, "/chunked", kNoLimit), STOWAGE_DATA_ERROR,
               path_ + ": /chunked: expected a contiguous dataset within the file, found another layout");
}

TEST_F(Dataset, OneOfTwoDimensionsIsRefused) {
  const File file = File::create(path_);
  const std::array<hsize_t, 2> shape{2, 3};
  const SpaceId space(H5Screate_simple(2, shape.data(), nullptr));
  const DatasetId dataset(
      H5Dcreate2(file.id(), "/matrix", H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

  EXPECT_ERROR(contiguous_extent(file, dataset, "/matrix", kNoLimit), STOWAGE_DATA_ERROR,
               path_ + ": /matrix: expected 1 dimension, found 2");
}

TEST_F(Dataset, AnotherTypeOrLengthIsRefusedNotConverted) {
  const File file = File::create(path_);
  const DatasetId dataset = write_array<std::uint32_t>(file, "/values", std::vector<std::uint32_t>(4));
  std::vector<std::uint64_t> wide(4);
  std::vector<std::uint32_t> shorter(3);

  EXPECT_ERROR(read_array<std::uint64_t>(file, dataset, "/values", wide), STOWAGE_DATA_ERROR,
               path_ + ": /values: expected little-endian numbers of 8 bytes, found another type");
  EXPECT_ERROR(read_array<std::uint32_t>(file, dataset, "/values", shorter), STOWAGE_DATA_ERROR,
               path_ + ": /values: expected 3 elements, found 4");
}

TEST_F(Dataset, AMissingOneIsNamed) {
  const File file = File::create(path_);

  EXPECT_ERROR(open_dataset(file, "/nothing"), STOWAGE_DATA_ERROR,
               path_ + ": cannot open dataset /nothing: HDF5: object 'nothing' doesn't exist");
}

TEST_F(Dataset, StringsComeBackAsWritten) {
  const std::vector<std::string> values{"short", "", "rather longer"};
  const File file = File::create(path_);

  write_strings(file, "/strings", values);
  write_strings(file, "/no_strings", {});

  EXPECT_EQ(read_strings(file, "/strings", kNoLimit), values);
  EXPECT_TRUE(read_strings(file, "/no_strings", kNoLimit).empty());
}

}  // namespace
}  // namespace stowage::h5
