// SPDX-License-Identifier: Apache-2.0
#include "h5/attribute.hpp"

#include <utility>

#include "h5/string.hpp"

namespace stowage::h5 {
namespace {

AttributeId open_scalar(const AttributeOwner& owner, const std::string& name, const Context& context) {
  AttributeId attribute(call(context, H5Aopen, owner.object, name.c_str(), H5P_DEFAULT));
  const SpaceId space(call(context, H5Aget_space, attribute.id()));
  if (call(context, H5Sget_simple_extent_type, space.id()) != H5S_SCALAR) {
    fail(context.status, "{}: attribute {}: expected a scalar, found an array", owner.file, name);
  }
  return attribute;
}

}  // namespace

namespace detail {

void write_scalar(const AttributeOwner& owner, const std::string& name, hid_t disk, hid_t memory, const void* value) {
  const Context context{"write attribute", name, owner.file, STOWAGE_IO_ERROR};
  const SpaceId space(call(context, H5Screate, H5S_SCALAR));
  const AttributeId attribute(
      call(context, H5Acreate2, owner.object, name.c_str(), disk, space.id(), H5P_DEFAULT, H5P_DEFAULT));
  call(context, H5Awrite, attribute.id(), memory, value);
}

void read_scalar(const AttributeOwner& owner, const std::string& name, hid_t disk, hid_t memory, void* value) {
  const Context context{"read attribute", name, owner.file};
  const AttributeId attribute = open_scalar(owner, name, context);
  const TypeId type(call(context, H5Aget_type, attribute.id()));
  if (call(context, H5Tequal, type.id(), disk) == 0) {
    fail(context.status, "{}: attribute {}: expected a little-endian number of {} bytes, found another type",
         owner.file, name, H5Tget_size(disk));
  }
  call(context, H5Aread, attribute.id(), memory, value);
}

}  // namespace detail

void write_attribute(const AttributeOwner& owner, const std::string& name, const std::string& value) {
  const TypeId type = fixed_string_type(value.size(), {"write attribute", name, owner.file, STOWAGE_IO_ERROR});
  detail::write_scalar(owner, name, type.id(), type.id(), value.c_str());
}

template <>
std::string read_attribute<std::string>(const AttributeOwner& owner, const std::string& name) {
  const Context context{"read attribute", name, owner.file};
  const AttributeId attribute = open_scalar(owner, name, context);
  const TypeId type(call(context, H5Aget_type, attribute.id()));
  std::string value(fixed_string_bytes(type, context), '\0');
  const TypeId memory = fixed_string_type(value.size(), context);
  call(context, H5Aread, attribute.id(), memory.id(), value.data());
  return without_padding(std::move(value));
}

}  // namespace stowage::h5
