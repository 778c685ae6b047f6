// SPDX-License-Identifier: Apache-2.0
// What `stowage inspect` finds out about one shard, and how it says so.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "source/contents.hpp"
#include "source/document_ending.hpp"
#include "source/length_summary.hpp"
#include "source/verify_shard.hpp"

namespace stowage::cli {

struct Inspection {
  std::string path;  // as given
  source::Contents contents;
  source::LengthSummary lengths;
  std::vector<source::LengthBin> bins;
  source::DocumentEnding ending;
  std::optional<source::Verification> verification;  // if asked for
};

// Opens and reads the shard; with `verify` all of it, behind a progress bar on a terminal. Throws as read_contents and
// verify_shard do.
Inspection inspect(const std::string& path, bool verify);

// The share of documents that end in the most frequent last token is suspicious: most do, some do not.
bool some_endings_are_missing(const source::DocumentEnding& ending) noexcept;

// For people, several lines. columns and ascii as draw_histogram.
std::string to_text(const Inspection& inspection, std::size_t columns, bool ascii);

nlohmann::ordered_json to_json(const Inspection& inspection);

}  // namespace stowage::cli
