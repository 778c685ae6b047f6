// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/compact.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "checkpoint/store.hpp"

namespace stowage::checkpoint {
namespace {

// Nothing is removed before the new base is proved.
constexpr StoreOptions kWithoutRotation{1, std::numeric_limits<std::uint64_t>::max()};

Loaded load_any(const std::string& folder) {
  std::optional<Loaded> loaded = load(folder);
  if (!loaded) fail(STOWAGE_IO_ERROR, "{}: expected checkpoints, found none", folder);
  return *std::move(loaded);
}

}  // namespace

Compacted compact(const std::string& folder) {
  load_any(folder);  // a folder that is none is not made to one
  Store store(folder, kWithoutRotation);
  Loaded newest = load_any(folder);
  Compacted result;
  result.base = newest.generation;
  result.passed_over = std::move(newest.passed_over);
  if (newest.generation.kind != Kind::base) {
    result.base = store.write(newest.checkpoint);
    result.written = true;
    const Loaded again = load_any(folder);
    if (again.generation != result.base || again.checkpoint != newest.checkpoint) {
      fail(STOWAGE_IO_ERROR, "{}: expected to load what was just written, found generation {}; nothing was removed",
           result.base.path, again.generation.number);
    }
  }
  std::vector<Generation> others = generations_in(folder);
  std::erase(others, result.base);
  result.removed = remove_generations(std::move(others));
  return result;
}

}  // namespace stowage::checkpoint
