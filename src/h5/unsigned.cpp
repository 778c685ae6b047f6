// SPDX-License-Identifier: Apache-2.0
#include "h5/unsigned.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "h5/attribute.hpp"

namespace stowage::h5 {
namespace {

hid_t narrowest_disk_type(std::span<const std::uint64_t> values) {
  const std::uint64_t largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return disk_type<std::uint8_t>();
  if (largest <= std::numeric_limits<std::uint16_t>::max()) return disk_type<std::uint16_t>();
  if (largest <= std::numeric_limits<std::uint32_t>::max()) return disk_type<std::uint32_t>();
  return disk_type<std::uint64_t>();
}

bool is_unsigned(const TypeId& type, const Context& context) {
  const std::array<hid_t, 4> known{disk_type<std::uint8_t>(), disk_type<std::uint16_t>(), disk_type<std::uint32_t>(),
                                   disk_type<std::uint64_t>()};
  return std::any_of(known.begin(), known.end(),
                     [&](hid_t candidate) { return call(context, H5Tequal, type.id(), candidate) > 0; });
}

}  // namespace

void write_unsigned(const File& file, const std::string& name, std::span<const std::uint64_t> values,
                    const std::string& unit) {
  const DatasetId dataset = create_contiguous(file, name, narrowest_disk_type(values), values.size());
  detail::write_all(file, dataset, name, memory_type<std::uint64_t>(), values.data());
  write_attribute({dataset.id(), file.path()}, "unit", unit);
}

std::vector<std::uint64_t> read_unsigned(const File& file, const std::string& name) {
  const Context context{"read dataset", name, file.path()};
  const DatasetId dataset = open_dataset(file, name);
  const TypeId type = dataset_type(file, dataset, name);
  if (!is_unsigned(type, context)) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected little-endian unsigned integers, found another type", file.path(), name);
  }
  std::vector<std::uint64_t> values(length_of(file, dataset, name));
  if (values.empty()) return values;
  call(context, H5Dread, dataset.id(), memory_type<std::uint64_t>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  return values;
}

bool exists(const File& file, const std::string& name) {
  return call({"look for", name, file.path()}, H5Lexists, file.id(), name.c_str(), H5P_DEFAULT) > 0;
}

}  // namespace stowage::h5
