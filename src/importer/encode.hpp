// SPDX-License-Identifier: Apache-2.0
// A batch of documents turned into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "importer/batch_reader.hpp"
#include "transform/tokenizer.hpp"

namespace stowage::importer {

struct EncodeOptions {
  std::string text_key = "text";  // of the JSON objects
  bool append_eod = false;        // end every document with the tokenizer's mark
  bool skip_empty = false;        // leave out documents without text
  bool skip_bad = false;          // leave out and count lines that are no document, instead of refusing the import
};

struct Encoded {
  std::vector<std::uint32_t> tokens;  // of all documents, one after the other
  std::vector<std::uint64_t> ends;    // [documents] place in `tokens` behind each document
  std::uint64_t empty = 0;            // documents without text, kept or skipped
  std::uint64_t bad = 0;              // lines skipped
  std::uint64_t input_bytes = 0;
};

// Lines that are blank are no documents and not counted. Thread-safe. Throws STOWAGE_DATA_ERROR that names file, line
// and problem of the first line that is no JSON object with a string under `text_key`; STOWAGE_IO_ERROR for a file
// that cannot be read.
Encoded encode(const Batch& batch, const transform::Tokenizer& tokenizer, const EncodeOptions& options);

}  // namespace stowage::importer
