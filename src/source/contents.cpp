// SPDX-License-Identifier: Apache-2.0
#include "source/contents.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "source/input_file.hpp"
#include "source/megatron_format.hpp"

namespace stowage::source {
namespace {

// Only asks: whatever keeps the file from being looked at is reported when it is opened.
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool has_hdf5_signature(const std::string& path) {
  constexpr std::array<unsigned char, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const InputFile file(path);
  std::array<std::byte, kSignature.size()> head{};
  if (file.size() < head.size()) return false;
  file.read(0, head);
  return std::ranges::equal(std::as_bytes(std::span(kSignature)), head);
}

}  // namespace

Contents read_contents(const std::string& path) {
  if (has_hdf5_signature(path) || path.ends_with(".h5") || path.ends_with(".hdf5")) return read_hdf5(path);
  const std::string idx = megatron::idx_path(megatron::prefix_of(path));
  if (exists(path) && !exists(idx)) {
    fail(STOWAGE_DATA_ERROR, "{}: expected an HDF5 file or a Megatron pair, found neither the HDF5 signature nor {}",
         path, idx);
  }
  return read_megatron(path);
}

Shard cut(Contents contents, config::SampleUnit unit) {
  Shard shard = std::move(contents.shard);
  if (unit == config::SampleUnit::sequence) return shard;
  std::vector<std::uint64_t> begin(contents.documents.size());
  std::ranges::transform(contents.documents, begin.begin(),
                         [&](std::uint64_t sequence) { return shard.begin[sequence]; });
  shard.begin = std::move(begin);
  return shard;
}

}  // namespace stowage::source
