// SPDX-License-Identifier: Apache-2.0
#include "importer/encode.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::importer {

namespace {

using nlohmann::json;

// "syntax error while parsing value - invalid literal", without the library's prefix (its line is always 1) and
// without the text read, which may be the whole document.
std::string_view reason(std::string_view what) {
  what = what.substr(0, what.find("; last read"));
  const std::size_t prefix = what.find(": ");
  return prefix == std::string_view::npos ? what : what.substr(prefix + 2);
}

// The document of one line; throws STOWAGE_DATA_ERROR without file and line.
std::string parse_line(std::string_view line, const std::string& key) try {
  const json object = json::parse(line);
  if (!object.is_object()) fail(STOWAGE_DATA_ERROR, "expected a JSON object, found {}", object.type_name());
  const auto found = object.find(key);
  if (found == object.end()) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) keys.push_back("'" + item.key() + "'");
    fail(STOWAGE_DATA_ERROR, "expected the key '{}', found {}; name another with --text-key", key,
         keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
  }
  if (!found->is_string()) fail(STOWAGE_DATA_ERROR, "expected a string under '{}', found {}", key, found->type_name());
  return found->get<std::string>();
} catch (const json::parse_error& error) {
  fail(STOWAGE_DATA_ERROR, "malformed JSON at byte {}: {}", error.byte, reason(error.what()));
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class Encoder {
 public:
  Encoder(const transform::Tokenizer& tokenizer, const EncodeOptions& options)
      : tokenizer_(tokenizer), options_(options) {}

  void operator()(const Lines& lines) {
    std::string_view rest = lines.text;
    for (std::uint64_t number = lines.first_line; !rest.empty(); ++number) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (is_blank(line)) continue;
      try {
        add(parse_line(line, options_.text_key));
      } catch (const Error& error) {
        if (!options_.skip_bad)
          fail(error.status(), "{}:{}: {} (--skip-bad leaves such lines out)", lines.file, number, error.what());
        ++encoded_.bad;
      }
    }
  }

  void operator()(const Files& files) {
    std::string text;
    for (const std::string& path : files.paths) {
      const source::InputFile file(path);
      text.resize(narrow<std::size_t>(file.size()));
      file.read(0, std::as_writable_bytes(std::span(text)));
      add(text);
    }
  }

  Encoded take() { return std::move(encoded_); }

 private:
  void add(std::string_view text) {
    if (text.empty()) {
      ++encoded_.empty;
      if (options_.skip_empty) return;
    }
    tokenizer_.encode(text, encoded_.tokens);
    if (options_.append_eod) encoded_.tokens.push_back(tokenizer_.end_of_document());
    encoded_.ends.push_back(encoded_.tokens.size());
  }

  const transform::Tokenizer& tokenizer_;
  const EncodeOptions& options_;
  Encoded encoded_;
};

}  // namespace

Encoded encode(const Batch& batch, const transform::Tokenizer& tokenizer, const EncodeOptions& options) {
  Encoder encoder(tokenizer, options);
  std::visit(encoder, batch.work);
  Encoded encoded = encoder.take();
  encoded.input_bytes = batch.bytes;
  return encoded;
}

}  // namespace stowage::importer
