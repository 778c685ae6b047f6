// SPDX-License-Identifier: Apache-2.0
// C++ arithmetic types and their HDF5 twins, in memory (native) and in files (little-endian).
#pragma once

#include <cstdint>
#include <type_traits>

#include "h5/handle.hpp"

namespace stowage::h5 {

namespace detail {

template <std::size_t Bytes, bool Signed>
hid_t integer_in_memory() {
  if constexpr (Bytes == 1) return Signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
  if constexpr (Bytes == 2) return Signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
  if constexpr (Bytes == 4) return Signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
  if constexpr (Bytes == 8) return Signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

template <std::size_t Bytes, bool Signed>
hid_t integer_on_disk() {
  if constexpr (Bytes == 1) return Signed ? H5T_STD_I8LE : H5T_STD_U8LE;
  if constexpr (Bytes == 2) return Signed ? H5T_STD_I16LE : H5T_STD_U16LE;
  if constexpr (Bytes == 4) return Signed ? H5T_STD_I32LE : H5T_STD_U32LE;
  if constexpr (Bytes == 8) return Signed ? H5T_STD_I64LE : H5T_STD_U64LE;
}

}  // namespace detail

// Identifiers that HDF5 owns: do not close.
template <typename T>
requires std::is_arithmetic_v<T> hid_t memory_type() {
  if constexpr (std::is_same_v<T, float>) {
    return H5T_NATIVE_FLOAT;
  } else if constexpr (std::is_same_v<T, double>) {
    return H5T_NATIVE_DOUBLE;
  } else {
    return detail::integer_in_memory<sizeof(T), std::is_signed_v<T>>();
  }
}

template <typename T>
requires std::is_arithmetic_v<T> hid_t disk_type() {
  if constexpr (std::is_same_v<T, float>) {
    return H5T_IEEE_F32LE;
  } else if constexpr (std::is_same_v<T, double>) {
    return H5T_IEEE_F64LE;
  } else {
    return detail::integer_on_disk<sizeof(T), std::is_signed_v<T>>();
  }
}

}  // namespace stowage::h5
