// SPDX-License-Identifier: Apache-2.0
// The inputs cut into pieces of work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "importer/inputs.hpp"
#include "source/input_file.hpp"

namespace stowage::importer {

// Whole lines of one JSONL file.
struct Lines {
  std::string file;
  std::uint64_t first_line = 1;
  std::string text;
};

// Text files, not yet read.
struct Files {
  std::vector<std::string> paths;
};

struct Batch {
  std::variant<Lines, Files> work;
  std::uint64_t bytes = 0;  // of input
};

// Batches in input order, each about kBatchBytes long: more only where one document is, less at the end of a file and
// where files are small. The cuts depend on the inputs alone. Not thread-safe.
class BatchReader {
 public:
  static constexpr std::uint64_t kBatchBytes = 1 << 20;
  static constexpr std::size_t kBatchFiles = 1024;

  // `inputs` must outlive the reader.
  explicit BatchReader(const std::vector<Input>& inputs) : inputs_(inputs) {}

  // Nothing at the end. Throws STOWAGE_IO_ERROR for a JSONL file that cannot be opened or read.
  std::optional<Batch> next();

 private:
  Batch next_files();
  std::optional<Batch> next_lines();  // nothing at the end of the file

  const std::vector<Input>& inputs_;
  std::size_t at_ = 0;  // in inputs_
  // The JSONL file being read.
  std::optional<source::InputFile> file_;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 1;  // of the start of carry_
  std::string carry_;       // read, but behind the last line end
};

}  // namespace stowage::importer
