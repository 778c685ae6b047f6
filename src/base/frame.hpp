// SPDX-License-Identifier: Apache-2.0
// Control objects on the wire and on disk: a Boost.Serialization binary archive inside a frame of our own, so that a
// wrong, old, cut or altered object is refused by name before Boost reads it.
//
//   offset  0  u32 magic "STWF"      8  u64 payload bytes
//           4  u32 version          16  u64 XXH3-64 of the payload      24  payload
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/bytes.hpp"

namespace stowage::frame {

inline constexpr unsigned kArchiveFlags = boost::archive::no_header;

Bytes wrap(std::string_view payload, std::uint32_t version);

// The payload; throws STOWAGE_DATA_ERROR that names `what` and the first thing that does not fit.
std::string unwrap(ByteView framed, std::uint32_t version, std::string_view what);

template <typename T>
Bytes encode(const T& object, std::uint32_t version) {
  std::ostringstream stream;
  {
    boost::archive::binary_oarchive archive(stream, kArchiveFlags);
    archive << object;
  }
  return wrap(stream.view(), version);
}

template <typename T>
T decode(ByteView framed, std::uint32_t version, std::string_view what) {
  std::istringstream stream(unwrap(framed, version, what));
  boost::archive::binary_iarchive archive(stream, kArchiveFlags);
  T object;
  archive >> object;
  return object;
}

}  // namespace stowage::frame
