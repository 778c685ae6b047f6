// SPDX-License-Identifier: Apache-2.0
// Scalar attributes: numbers, and strings stored with a fixed length so that they lie in the (checksummed) object
// header.
#pragma once

#include <string>

#include "h5/type.hpp"

namespace stowage::h5 {

// What an attribute belongs to.
struct AttributeOwner {
  hid_t object;           // a file (its root group), a group or a dataset
  std::string_view file;  // for messages
};

namespace detail {
void write_scalar(const AttributeOwner& owner, const std::string& name, hid_t disk, hid_t memory, const void* value);
void read_scalar(const AttributeOwner& owner, const std::string& name, hid_t disk, hid_t memory, void* value);
}  // namespace detail

template <typename T>
void write_attribute(const AttributeOwner& owner, const std::string& name, T value) {
  detail::write_scalar(owner, name, disk_type<T>(), memory_type<T>(), &value);
}

void write_attribute(const AttributeOwner& owner, const std::string& name, const std::string& value);

// Throws STOWAGE_DATA_ERROR if the attribute is missing, is no scalar, or is stored in another type than T.
template <typename T>
T read_attribute(const AttributeOwner& owner, const std::string& name) {
  T value{};
  detail::read_scalar(owner, name, disk_type<T>(), memory_type<T>(), &value);
  return value;
}

template <>
std::string read_attribute<std::string>(const AttributeOwner& owner, const std::string& name);

}  // namespace stowage::h5
