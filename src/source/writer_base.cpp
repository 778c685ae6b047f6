// SPDX-License-Identifier: Apache-2.0
#include "source/writer_base.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "source/token_dispatch.hpp"
#include "source/tokens.hpp"

namespace stowage::source {

TokenType default_token_type(std::uint64_t vocab_size) noexcept {
  return vocab_size > 0 && vocab_size < 65500 ? TokenType::u16 : TokenType::i32;
}

WriterBase::WriterBase(std::string name, config::Format format, const WriterOptions& options) : name_(std::move(name)) {
  if (options.vocab_size > 0 && options.vocab_size - 1 > max_token(options.type)) {
    fail(STOWAGE_INVALID_ARGUMENT, "{}: token type {} holds ids up to {}, but the vocabulary has {}", name_,
         token_type_name(options.type), max_token(options.type), options.vocab_size);
  }
  contents_.format = format;
  contents_.shard.type = options.type;
  contents_.shard.vocab_size = options.vocab_size;
  contents_.shard.begin = {0};
  contents_.documents = {0};
}

void WriterBase::require_open() const {
  if (closed_) fail(STOWAGE_STATE_ERROR, "{}: the writer is closed", name_);
}

void WriterBase::encode(std::span<const std::uint32_t> tokens) {
  const Shard& shard = contents_.shard;
  const std::uint64_t fits = max_token(shard.type);
  const std::uint64_t limit = shard.vocab_size > 0 ? shard.vocab_size - 1 : fits;
  if (const auto bad = std::ranges::find_if(tokens, [limit](std::uint32_t id) { return id > limit; });
      bad != tokens.end()) {
    fail(STOWAGE_INVALID_ARGUMENT, "{}: sequence {}, token {}: expected an id of at most {} ({}), found {}", name_,
         shard.sequences(), bad - tokens.begin(), limit,
         shard.vocab_size > 0 ? fmt::format("the vocabulary has {}", shard.vocab_size)
                              : fmt::format("the largest of type {}", token_type_name(shard.type)),
         *bad);
  }
  visit_token_type(shard.type, [&](auto zero) {
    using Token = decltype(zero);
    raw_.resize(tokens.size() * sizeof(Token));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto token = static_cast<Token>(tokens[i]);
      std::memcpy(raw_.data() + i * sizeof(Token), &token, sizeof(Token));
    }
  });
}

void WriterBase::add(std::span<const std::uint32_t> tokens) {
  require_open();
  encode(tokens);
  append(raw_);
  Shard& shard = contents_.shard;
  shard.tokens += tokens.size();
  shard.begin.push_back(shard.tokens);
}

void WriterBase::end_document() {
  require_open();
  contents_.documents.push_back(contents_.shard.sequences());
}

void WriterBase::close() {
  require_open();
  if (contents_.shard.sequences() == 0) {
    fail(STOWAGE_INVALID_ARGUMENT, "{}: nothing to write: expected at least 1 sequence, got 0", name_);
  }
  if (contents_.documents.back() != contents_.shard.sequences()) {
    fail(STOWAGE_INVALID_ARGUMENT, "{}: the last document was not ended: {} of {} sequences belong to none", name_,
         contents_.shard.sequences() - contents_.documents.back(), contents_.shard.sequences());
  }
  closed_ = true;
  publish();
}

}  // namespace stowage::source
