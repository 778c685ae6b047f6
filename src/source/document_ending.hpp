// SPDX-License-Identifier: Apache-2.0
// Which token documents end in: usually the end-of-document token of the tokenizer, and a sign of trouble where it is
// missing from some of them.
#pragma once

#include <cstdint>

#include "source/contents.hpp"

namespace stowage::source {

struct DocumentEnding {
  std::int64_t token = 0;       // the most frequent last token; the smallest of several
  std::uint64_t count = 0;      // documents looked at that end in it
  std::uint64_t looked_at = 0;  // documents that were looked at; those without tokens are not counted
};

// Looks at up to `most` documents that are spread evenly over the shard, by reading their last tokens.
DocumentEnding document_ending(const Contents& contents, std::uint64_t most = 10000);

}  // namespace stowage::source
