// SPDX-License-Identifier: Apache-2.0
#include "h5/string.hpp"

#include <algorithm>

#include "h5/dataset.hpp"

namespace stowage::h5 {

TypeId fixed_string_type(std::size_t bytes, const Context& context) {
  TypeId type(call(context, H5Tcopy, H5T_C_S1));
  call(context, H5Tset_size, type.id(), std::max<std::size_t>(bytes, 1));  // HDF5 has no strings of 0 bytes
  call(context, H5Tset_strpad, type.id(), H5T_STR_NULLPAD);
  call(context, H5Tset_cset, type.id(), H5T_CSET_UTF8);
  return type;
}

std::size_t fixed_string_bytes(const TypeId& type, const Context& context) {
  if (call(context, H5Tget_class, type.id()) != H5T_STRING || call(context, H5Tis_variable_str, type.id()) > 0) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected a string of fixed length, found another type", context.file,
         context.object);
  }
  return H5Tget_size(type.id());
}

std::string without_padding(std::string padded) {
  padded.resize(padded.find_last_not_of('\0') + 1);
  return padded;
}

void write_strings(const File& file, const std::string& name, const std::vector<std::string>& values) {
  const Context context{"write dataset", name, file.path(), STOWAGE_IO_ERROR};
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  std::string padded(values.size() * width, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(padded.data() + i * width, width);
  const TypeId type = fixed_string_type(width, context);
  const DatasetId dataset = create_contiguous(file, name, type.id(), values.size());
  detail::write_all(file, dataset, name, type.id(), padded.data());
}

std::vector<std::string> read_strings(const File& file, const std::string& name, std::uint64_t file_bytes) {
  const Context context{"read dataset", name, file.path()};
  const DatasetId dataset = open_dataset(file, name);
  const std::size_t width = fixed_string_bytes(dataset_type(file, dataset, name), context);
  const Extent extent = contiguous_extent(file, dataset, name, file_bytes);
  std::string padded(extent.bytes, '\0');
  const TypeId type = fixed_string_type(width, context);
  if (!padded.empty()) call(context, H5Dread, dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data());
  std::vector<std::string> values(extent.elements);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = without_padding(padded.substr(i * width, width));
  return values;
}

void write_text(const File& file, const std::string& name, const std::string& text) {
  const Context context{"write dataset", name, file.path(), STOWAGE_IO_ERROR};
  const TypeId type = fixed_string_type(text.size(), context);
  const SpaceId scalar(call(context, H5Screate, H5S_SCALAR));
  const DatasetId dataset = create_contiguous(file, name, type.id(), scalar);
  detail::write_all(file, dataset, name, type.id(), text.c_str());
}

std::string read_text(const File& file, const std::string& name) {
  const Context context{"read dataset", name, file.path()};
  const DatasetId dataset = open_dataset(file, name);
  const SpaceId space(call(context, H5Dget_space, dataset.id()));
  if (call(context, H5Sget_simple_extent_type, space.id()) != H5S_SCALAR) {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected a scalar, found an array", file.path(), name);
  }
  std::string text(fixed_string_bytes(dataset_type(file, dataset, name), context), '\0');
  const TypeId type = fixed_string_type(text.size(), context);
  call(context, H5Dread, dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  return without_padding(std::move(text));
}

}  // namespace stowage::h5
