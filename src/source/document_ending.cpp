// SPDX-License-Identifier: Apache-2.0
#include "source/document_ending.hpp"

#include <algorithm>
#include <map>

#include "base/narrow.hpp"
#include "source/input_file.hpp"
#include "source/tokens.hpp"

namespace stowage::source {

DocumentEnding document_ending(const Contents& contents, std::uint64_t most) {
  const Shard& shard = contents.shard;
  const std::uint64_t documents = contents.documents.size() - 1;
  const std::uint64_t stride = std::max<std::uint64_t>(1, div_ceil(documents, most));
  const InputFile file(shard.token_file);
  Bytes raw(token_bytes(shard.type));
  std::map<std::int64_t, std::uint64_t> counts;
  DocumentEnding ending;
  for (std::uint64_t d = 0; d < documents; d += stride) {
    const std::uint64_t begin = shard.begin[contents.documents[d]];
    const std::uint64_t end = shard.begin[contents.documents[d + 1]];
    if (begin == end) continue;
    file.read(shard.base + (end - 1) * raw.size(), raw);
    ++counts[token_at(raw, shard.type, 0)];
    ++ending.looked_at;
  }
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  if (const auto top = std::ranges::max_element(counts, by_count); top != counts.end()) {
    ending.token = top->first;
    ending.count = top->second;
  }
  return ending;
}

}  // namespace stowage::source
