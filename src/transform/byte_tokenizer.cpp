// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/tokenizer.hpp"

namespace stowage::transform {

namespace {

class ByteTokenizer final : public Tokenizer {
 public:
  std::string name() const override { return "byte"; }
  std::uint64_t vocab_size() const noexcept override { return 257; }
  std::uint32_t end_of_document() const noexcept override { return 256; }

  void encode(std::string_view text, std::vector<std::uint32_t>& out) const override {
    const std::size_t old_size = out.size();
    out.resize(old_size + text.size());
    std::transform(text.begin(), text.end(), out.begin() + static_cast<std::ptrdiff_t>(old_size),
                   [](char byte) { return static_cast<std::uint32_t>(static_cast<unsigned char>(byte)); });
  }
};

}  // namespace

std::unique_ptr<Tokenizer> make_byte_tokenizer() {
  return std::make_unique<ByteTokenizer>();
}

}  // namespace stowage::transform
