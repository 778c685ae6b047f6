// SPDX-License-Identifier: Apache-2.0
#include "importer/batch_reader.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace stowage::importer {

std::optional<Batch> BatchReader::next() {
  while (at_ < inputs_.size()) {
    if (inputs_[at_].kind == InputKind::text) return next_files();
    if (std::optional<Batch> lines = next_lines()) return lines;
    file_.reset();
    ++at_;
  }
  return std::nullopt;
}

Batch BatchReader::next_files() {
  Files files;
  std::uint64_t bytes = 0;
  while (at_ < inputs_.size() && inputs_[at_].kind == InputKind::text && bytes < kBatchBytes &&
         files.paths.size() < kBatchFiles) {
    bytes += inputs_[at_].bytes;
    files.paths.push_back(inputs_[at_++].path);
  }
  return {std::move(files), bytes};
}

std::optional<Batch> BatchReader::next_lines() {
  if (!file_) {
    file_.emplace(inputs_[at_].path);
    offset_ = 0;
    line_ = 1;
  }
  std::string text = std::exchange(carry_, {});
  while (offset_ < file_->size()) {
    const std::size_t old_size = text.size();
    const auto chunk = static_cast<std::size_t>(std::min(kBatchBytes, file_->size() - offset_));
    text.resize(old_size + chunk);
    file_->read(offset_, std::as_writable_bytes(std::span(text).subspan(old_size)));
    offset_ += chunk;
    const std::size_t newline = std::string_view(text).substr(old_size).rfind('\n');
    if (newline != std::string_view::npos) {
      carry_ = text.substr(old_size + newline + 1);
      text.resize(old_size + newline + 1);
      break;
    }
  }
  if (text.empty()) return std::nullopt;
  const std::uint64_t bytes = text.size();
  Lines lines{file_->path(), line_, std::move(text)};
  line_ += static_cast<std::uint64_t>(std::count(lines.text.begin(), lines.text.end(), '\n'));
  return Batch{std::move(lines), bytes};
}

}  // namespace stowage::importer
