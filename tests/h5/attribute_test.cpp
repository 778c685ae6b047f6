// SPDX-License-Identifier: Apache-2.0
#include "h5/attribute.hpp"

#include <array>
#include <limits>

#include "h5/file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::h5 {
namespace {

class Attribute : public testing::Test {
 protected:
  AttributeOwner root() const { return {file_.id(), file_.path()}; }

  const test::TemporaryFolder folder_;
  const File file_ = File::create(folder_.file("attributes.h5"));
};

TEST_F(Attribute, NumbersComeBackAsWritten) {
  write_attribute(root(), "largest", std::numeric_limits<std::uint64_t>::max());
  write_attribute(root(), "negative", std::int16_t{-7});
  write_attribute(root(), "real", 0.1);

  EXPECT_EQ(read_attribute<std::uint64_t>(root(), "largest"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read_attribute<std::int16_t>(root(), "negative"), -7);
  EXPECT_EQ(read_attribute<double>(root(), "real"), 0.1);
}

TEST_F(Attribute, StringsComeBackAsWritten) {
  write_attribute(root(), "name", std::string("größe"));
  write_attribute(root(), "empty", std::string());

  EXPECT_EQ(read_attribute<std::string>(root(), "name"), "größe");
  EXPECT_EQ(read_attribute<std::string>(root(), "empty"), "");
}

TEST_F(Attribute, AMissingOneIsNamed) {
  EXPECT_ERROR(read_attribute<std::uint64_t>(root(), "nothing"), STOWAGE_DATA_ERROR,
               file_.path() + ": cannot read attribute nothing: HDF5: can't locate attribute: 'nothing'");
}

TEST_F(Attribute, AnotherNumberTypeIsRefusedNotConverted) {
  write_attribute(root(), "count", std::uint32_t{5});

  EXPECT_ERROR(read_attribute<std::uint64_t>(root(), "count"), STOWAGE_DATA_ERROR,
               file_.path() + ": attribute count: expected a little-endian number of 8 bytes, found another type");
}

TEST_F(Attribute, AnArrayIsRefused) {
  const std::array<hsize_t, 1> shape{2};
  const SpaceId space(H5Screate_simple(1, shape.data(), nullptr));
  const AttributeId attribute(H5Acreate2(file_.id(), "pair", H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT));

  EXPECT_ERROR(read_attribute<std::uint64_t>(root(), "pair"), STOWAGE_DATA_ERROR,
               file_.path() + ": attribute pair: expected a scalar, found an array");
}

TEST_F(Attribute, AStringOfVariableLengthIsRefused) {
  const TypeId type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), H5T_VARIABLE);
  const SpaceId space(H5Screate(H5S_SCALAR));
  const AttributeId attribute(H5Acreate2(file_.id(), "text", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT));

  EXPECT_ERROR(read_attribute<std::string>(root(), "text"), STOWAGE_DATA_ERROR,
               file_.path() + ": text: expected a string of fixed length, found another type");
}

}  // namespace
}  // namespace stowage::h5
