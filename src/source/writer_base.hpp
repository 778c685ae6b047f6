// SPDX-License-Identifier: Apache-2.0
// What the writers of both formats share: range checks, encoding, and the counting of sequences and documents.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "source/contents.hpp"
#include "source/writer.hpp"

namespace stowage::source {

class WriterBase : public ShardWriter {
 public:
  void add(std::span<const std::uint32_t> tokens) final;
  void end_document() final;
  void close() final;

 protected:
  // `name` is for messages. Throws STOWAGE_INVALID_ARGUMENT for a vocabulary that does not fit the type.
  WriterBase(std::string name, config::Format format, const WriterOptions& options);

  const Contents& contents() const noexcept { return contents_; }
  Contents& contents() noexcept { return contents_; }

  virtual void append(ByteView raw) = 0;  // the encoded tokens of one sequence
  virtual void publish() = 0;             // contents() is complete but for places in files

 private:
  void require_open() const;
  void encode(std::span<const std::uint32_t> tokens);

  std::string name_;
  Contents contents_;
  Bytes raw_;  // of the sequence being added
  bool closed_ = false;
};

}  // namespace stowage::source
