// SPDX-License-Identifier: Apache-2.0
#include "h5/unsigned.hpp"

#include "h5/attribute.hpp"
#include "h5/image.hpp"
#include "support/errors.hpp"

namespace stowage::h5 {
namespace {

class Unsigned : public testing::Test {
 protected:
  std::size_t width(const std::string& name) const {
    return H5Tget_size(dataset_type(file_, open_dataset(file_, name), name).id());
  }
  const File file_ = create_in_memory("x.h5");
};

TEST_F(Unsigned, ArraysComeBackFromTheNarrowestType) {
  const std::vector<std::pair<std::uint64_t, std::size_t>> widths{
      {0, 1}, {0xff, 1}, {0x100, 2}, {0xffff, 2}, {0x10000, 4}, {0xffffffff, 4}, {0x100000000, 8}, {~0ULL, 8}};
  for (const auto& [largest, bytes] : widths) {
    const std::vector<std::uint64_t> values{0, largest, 1};
    const std::string name = "/to" + std::to_string(largest);

    write_unsigned(file_, name, values, "tokens");

    EXPECT_EQ(read_unsigned(file_, name), values);
    EXPECT_EQ(width(name), bytes) << largest;
  }
}

TEST_F(Unsigned, AnEmptyArrayIsAnArray) {
  write_unsigned(file_, "/none", {}, "tokens");

  EXPECT_TRUE(read_unsigned(file_, "/none").empty());
}

TEST_F(Unsigned, TheUnitIsAnAttribute) {
  write_unsigned(file_, "/a", std::vector<std::uint64_t>{1}, "tokens");

  const DatasetId dataset = open_dataset(file_, "/a");
  EXPECT_EQ(read_attribute<std::string>({dataset.id(), file_.path()}, "unit"), "tokens");
}

TEST_F(Unsigned, OtherTypesAndWhatIsMissingAreRefused) {
  write_array<std::int64_t>(file_, "/signed", std::vector<std::int64_t>{1});
  write_array<float>(file_, "/real", std::vector<float>{1});

  EXPECT_ERROR(read_unsigned(file_, "/signed"), STOWAGE_DATA_ERROR, "x.h5: /signed: expected little-endian unsigned");
  EXPECT_ERROR(read_unsigned(file_, "/real"), STOWAGE_DATA_ERROR, "x.h5: /real: expected little-endian unsigned");
  EXPECT_ERROR(read_unsigned(file_, "/nothing"), STOWAGE_DATA_ERROR, "x.h5: cannot open dataset /nothing");
}

TEST_F(Unsigned, ObjectsCanBeAskedFor) {
  write_unsigned(file_, "/a", {}, "tokens");

  EXPECT_TRUE(exists(file_, "/a"));
  EXPECT_FALSE(exists(file_, "/b"));
}

}  // namespace
}  // namespace stowage::h5
