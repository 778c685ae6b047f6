// SPDX-License-Identifier: Apache-2.0
// Text to token ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::transform {

// A pure function of the text. All members are const and thread-safe: one tokenizer serves all threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::string name() const = 0;                        // recorded in the shards it made
  virtual std::uint64_t vocab_size() const noexcept = 0;       // every id is below it
  virtual std::uint32_t end_of_document() const noexcept = 0;  // the id that marks it; encode() never gives it
  // Appends the ids of `text` to `out`, without the mark of the end.
  virtual void encode(std::string_view text, std::vector<std::uint32_t>& out) const = 0;
};

// "byte": an id is the value of a byte, 256 marks the end of a document, the vocabulary is 257. Text in any encoding
// passes through as the bytes it is, UTF-8 too.
std::unique_ptr<Tokenizer> make_byte_tokenizer();

}  // namespace stowage::transform
