// SPDX-License-Identifier: Apache-2.0
#include "base/frame.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace stowage::frame {
namespace {

struct Head {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t size;
  std::uint64_t checksum;
};
static_assert(sizeof(Head) == 24);

constexpr std::uint32_t kMagic = 0x46575453;  // "STWF" in little-endian order

}  // namespace

Bytes wrap(std::string_view payload, std::uint32_t version) {
  const Head head{kMagic, version, payload.size(), hash64(bytes_of(payload))};
  Bytes framed(sizeof(Head) + payload.size());
  std::memcpy(framed.data(), &head, sizeof(Head));
  if (!payload.empty()) std::memcpy(framed.data() + sizeof(Head), payload.data(), payload.size());
  return framed;
}

std::string unwrap(ByteView framed, std::uint32_t version, std::string_view what) {
  if (framed.size() < sizeof(Head)) {
    fail(STOWAGE_DATA_ERROR, "{}: expected a frame of at least {} bytes, got {}", what, sizeof(Head), framed.size());
  }
  Head head{};
  std::memcpy(&head, framed.data(), sizeof(Head));
  if (head.magic != kMagic) {
    fail(STOWAGE_DATA_ERROR, "{}: expected frame magic {:#010x}, got {:#010x}", what, kMagic, head.magic);
  }
  if (head.version != version) {
    fail(STOWAGE_DATA_ERROR, "{}: expected version {}, got {}; both sides must run the same stowage", what, version,
         head.version);
  }
  const ByteView payload = framed.subspan(sizeof(Head));
  if (head.size != payload.size()) {
    fail(STOWAGE_DATA_ERROR, "{}: expected a payload of {} bytes, got {}", what, head.size, payload.size());
  }
  if (const std::uint64_t found = hash64(payload); found != head.checksum) {
    fail(STOWAGE_DATA_ERROR, "{}: expected payload checksum {:016x}, got {:016x}", what, head.checksum, found);
  }
  return std::string(text_of(payload));
}

}  // namespace stowage::frame
