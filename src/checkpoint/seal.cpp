// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/seal.hpp"

#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"

namespace stowage::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "STWCKPT\n";
constexpr std::uint32_t kVersion = 1;

struct Lengths {
  std::uint64_t hdf5_bytes;
  std::uint32_t block_bytes;
  std::uint32_t version;
};
constexpr std::size_t kEndBytes = sizeof(Lengths) + sizeof(Digest) + kMagic.size();
static_assert(sizeof(Lengths) == 16 && sizeof(Digest) == 16);

void append(Bytes& bytes, ByteView more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

template <typename T>
T value_at(ByteView bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

ByteView block_of(ByteView hdf5, std::size_t block) {
  const std::size_t begin = block * kBlockBytes;
  return hdf5.subspan(begin, std::min(kBlockBytes, hdf5.size() - begin));
}

// Where the checksums begin, from the file's last bytes, which are proved to be what was written.
std::size_t checked_hdf5_bytes(ByteView file, const std::string& path) {
  if (file.size() < kEndBytes) {
    fail(STOWAGE_DATA_ERROR, "{}: expected at least {} bytes, found {}; the file is cut short", path, kEndBytes,
         file.size());
  }
  const std::size_t end = file.size() - kEndBytes;
  const std::size_t magic_at = file.size() - kMagic.size();
  if (text_of(file.subspan(magic_at)) != kMagic) {
    fail(STOWAGE_DATA_ERROR,
         "{}: offset {}: expected the mark at the end of a checkpoint file, found {:016x}; the file is cut short, "
         "lengthened, altered or no checkpoint",
         path, magic_at, value_at<std::uint64_t>(file, magic_at));
  }
  const auto lengths = value_at<Lengths>(file, end);
  const std::uint64_t blocks = div_ceil<std::uint64_t>(lengths.hdf5_bytes, kBlockBytes);
  if (lengths.version != kVersion || lengths.block_bytes != kBlockBytes || lengths.hdf5_bytes > end ||
      end - lengths.hdf5_bytes != blocks * sizeof(std::uint64_t)) {
    fail(
        STOWAGE_DATA_ERROR,
        "{}: offset {}: expected version {}, blocks of {} bytes and lengths that add up to {} bytes, found version {}, "
        "blocks of {} bytes and {} bytes of HDF5",
        path, end, kVersion, kBlockBytes, file.size(), lengths.version, lengths.block_bytes, lengths.hdf5_bytes);
  }
  const Digest expected = value_at<Digest>(file, end + sizeof(Lengths));
  const ByteView covered = file.subspan(lengths.hdf5_bytes, end + sizeof(Lengths) - lengths.hdf5_bytes);
  const Digest found = Hasher().add_bytes(covered).digest();
  if (found != expected) {
    fail(STOWAGE_DATA_ERROR, "{}: offset {}: the list of checksums: expected digest {}, found {}", path,
         lengths.hdf5_bytes, expected.hex(), found.hex());
  }
  return lengths.hdf5_bytes;
}

}  // namespace

Bytes sealed(Bytes hdf5) {
  Bytes list;
  for (std::size_t block = 0; block * kBlockBytes < hdf5.size(); ++block) {
    append(list, bytes_of(hash64(block_of(hdf5, block))));
  }
  append(list, bytes_of(Lengths{hdf5.size(), kBlockBytes, kVersion}));
  append(list, bytes_of(Hasher().add_bytes(list).digest()));
  append(list, bytes_of(kMagic));
  append(hdf5, list);
  return hdf5;
}

ByteView unsealed(ByteView file, const std::string& path) {
  const ByteView hdf5 = file.first(checked_hdf5_bytes(file, path));
  for (std::size_t block = 0; block * kBlockBytes < hdf5.size(); ++block) {
    const ByteView bytes = block_of(hdf5, block);
    const auto expected = value_at<std::uint64_t>(file, hdf5.size() + block * sizeof(std::uint64_t));
    if (const std::uint64_t found = hash64(bytes); found != expected) {
      fail(STOWAGE_DATA_ERROR, "{}: bytes {} to {}: expected checksum {:016x}, found {:016x}; the file is damaged",
           path, block * kBlockBytes, block * kBlockBytes + bytes.size() - 1, expected, found);
    }
  }
  return hdf5;
}

}  // namespace stowage::checkpoint
