// SPDX-License-Identifier: Apache-2.0
// Text into shards: reads JSONL and text files, tokenizes with many threads, writes a Megatron pair or an HDF5 shard.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "importer/encode.hpp"
#include "importer/inputs.hpp"
#include "source/shard.hpp"

namespace stowage::importer {

struct ImportOptions {
  std::vector<std::string> inputs;          // files and folders, in the order of their documents
  std::vector<std::string> globs{"*.txt"};  // which files of a folder
  std::optional<InputKind> kind;            // nothing: by the file's name
  std::string output;                       // prefix of a Megatron pair, or an HDF5 file
  config::Format format = config::Format::megatron;
  std::optional<source::TokenType> type;  // nothing: as Megatron's tools choose by the size of the vocabulary
  EncodeOptions encode;
  unsigned threads = 1;  // >= 1, besides the one that reads and writes
  bool force = false;    // replace existing output
};

struct ImportSummary {
  std::uint64_t files = 0;
  std::uint64_t documents = 0;  // written
  std::uint64_t empty = 0;      // documents without text: among those written, or skipped by encode.skip_empty
  std::uint64_t bad = 0;        // lines skipped by encode.skip_bad
  std::uint64_t tokens = 0;
  std::uint64_t input_bytes = 0;  // so far, when progress is reported
  std::uint64_t input_bytes_in_all = 0;
};

// Each document becomes one sequence, of length 0 if it has no text (1 with append_eod). The output depends on the
// inputs and options alone, never on `threads`. Memory: a few MiB a thread, more only for documents longer than that.
// The output appears under its name only when it is complete and on disk. `report` is called on this thread after
// every batch written. Throws what find_inputs, encode and the writers throw, STOWAGE_DATA_ERROR if no document is
// left to write; the output is then as it was.
ImportSummary run_import(const ImportOptions& options, const std::function<void(const ImportSummary&)>& report);

}  // namespace stowage::importer
