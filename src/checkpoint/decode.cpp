// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>

#include "checkpoint/file_format.hpp"
#include "checkpoint/schema.hpp"
#include "checkpoint/seal.hpp"
#include "checkpoint/text_table.hpp"
#include "h5/attribute.hpp"
#include "h5/image.hpp"
#include "h5/string.hpp"
#include "h5/unsigned.hpp"

namespace stowage::checkpoint {
namespace {

using namespace schema;

// A file with the reading of its parts. Everything is of the length that the file's other parts say, or refused.
class Reader {
 public:
  explicit Reader(const h5::File& file) : file_(file) {}

  template <typename T>
  T attribute(const std::string& name) const {
    return h5::read_attribute<T>({file_.id(), file_.path()}, name);
  }

  Digest digest(const std::string& name) const {
    const auto text = attribute<std::string>(name);
    Digest digest;
    if (!parse_hex(text, 0, digest.high) || !parse_hex(text, 16, digest.low) || digest.hex() != text) {
      fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected 32 hexadecimal digits, found '{}'", file_.path(), name,
           text);
    }
    return digest;
  }

  std::vector<std::uint64_t> array(const std::string& name) const { return h5::read_unsigned(file_, name); }

  std::vector<std::uint64_t> array(const std::string& name, std::size_t length) const {
    std::vector<std::uint64_t> values = array(name);
    if (values.size() != length) wrong_length(name, length, values.size());
    return values;
  }

  std::vector<std::vector<std::string>> table(const std::string& name, std::size_t columns) const {
    return parse_table(h5::read_text(file_, name), columns, file_.path() + ": " + name);
  }

  std::vector<std::vector<std::string>> table(const std::string& name, std::size_t columns, std::size_t length) const {
    auto rows = table(name, columns);
    if (rows.size() != length) wrong_length(name, length, rows.size());
    return rows;
  }

  std::uint32_t id32(const std::string& name, std::uint64_t value) const {
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      fail(STOWAGE_DATA_ERROR, "{}: {}: expected numbers of 32 bits, found {}", file_.path(), name, value);
    }
    return static_cast<std::uint32_t>(value);
  }

  bool has(const std::string& name) const { return h5::exists(file_, name); }
  const h5::File& file() const noexcept { return file_; }

 private:
  static bool parse_hex(const std::string& text, std::size_t at, std::uint64_t& value) {
    if (text.size() != 32) return false;
    const char* begin = text.data() + at;
    return std::from_chars(begin, begin + 16, value, 16).ptr == begin + 16;
  }

  [[noreturn]] void wrong_length(const std::string& name, std::size_t expected, std::size_t found) const {
    fail(STOWAGE_DATA_ERROR, "{}: {}: expected {} entries, found {}", file_.path(), name, expected, found);
  }

  const h5::File& file_;
};

std::vector<Deferred> read_deferred(const Reader& reader) {
  if (!reader.has(kDeferred)) return {};
  const auto position = reader.array(kDeferredPosition);
  const auto source = reader.array(kDeferredSource, position.size());
  const auto sequence = reader.array(kDeferredSequence, position.size());
  const auto epoch = reader.array(kDeferredEpoch, position.size());
  const auto waited = reader.array(kDeferredWaited, position.size());
  std::vector<Deferred> deferred(position.size());
  for (std::size_t i = 0; i < deferred.size(); ++i) {
    deferred[i].draw = {position[i], sequence[i], epoch[i], reader.id32(kDeferredSource, source[i])};
    deferred[i].waited = reader.id32(kDeferredWaited, waited[i]);
  }
  return deferred;
}

std::vector<Input> read_inputs(const Reader& reader) {
  if (!reader.has(kInputs)) return {};
  const auto steps = reader.array(kInputSteps);
  auto texts = reader.table(kInputTexts, 2, steps.size());
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    inputs.push_back({steps[i], std::move(texts[i][0]), std::move(texts[i][1])});
  }
  return inputs;
}

void read_files(const Reader& reader, std::vector<Fingerprint::Source>& sources) {
  const auto of_source = reader.array(kFileSources);
  const auto bytes = reader.array(kFileBytes, of_source.size());
  auto paths = reader.table(kFilePaths, 1, of_source.size());
  std::vector<std::int64_t> modified(of_source.size());
  h5::read_array<std::int64_t>(reader.file(), h5::open_dataset(reader.file(), kFileModified), kFileModified, modified);
  for (std::size_t i = 0; i < of_source.size(); ++i) {
    if (of_source[i] >= sources.size()) {
      fail(STOWAGE_DATA_ERROR, "{}: {}: expected one of {} sources, found {}", reader.file().path(), kFileSources,
           sources.size(), of_source[i]);
    }
    sources[of_source[i]].files.push_back({std::move(paths[i][0]), bytes[i], modified[i]});
  }
}

Fingerprint read_fingerprint(const Reader& reader) {
  Fingerprint fingerprint;
  for (std::vector<std::string>& row : reader.table(kSettings, 2)) {
    fingerprint.settings.push_back({std::move(row[0]), std::move(row[1])});
  }
  auto names = reader.table(kSourceNames, 1);
  const auto sequences = reader.array(kSourceSequences, names.size());
  const auto tokens = reader.array(kSourceTokens, names.size());
  const auto high = reader.array(kSourceIndexHigh, names.size());
  const auto low = reader.array(kSourceIndexLow, names.size());
  for (std::size_t s = 0; s < names.size(); ++s) {
    fingerprint.sources.push_back({std::move(names[s][0]), sequences[s], tokens[s], {high[s], low[s]}, {}});
  }
  read_files(reader, fingerprint.sources);
  return fingerprint;
}

Checkpoint read_base(const Reader& reader) {
  Checkpoint checkpoint;
  checkpoint.fingerprint = read_fingerprint(reader);
  Columns columns;
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    columns[c] = reader.array(kSources + "/" + kColumns[c].name, checkpoint.fingerprint.sources.size());
  }
  set_columns(checkpoint.state, columns);
  checkpoint.state.step = reader.attribute<std::uint64_t>(kStep);
  checkpoint.state.draws.position = reader.attribute<std::uint64_t>(kPosition);
  checkpoint.state.plans = reader.digest(kPlans);
  checkpoint.state.deferred = read_deferred(reader);
  checkpoint.inputs = read_inputs(reader);
  return checkpoint;
}

Difference read_difference(const Reader& reader) {
  Difference difference;
  difference.step = reader.attribute<std::uint64_t>(kStep);
  difference.position = reader.attribute<std::uint64_t>(kPosition);
  difference.plans = reader.digest(kPlans);
  if (reader.has(kChanges)) {
    difference.sources = reader.array(kChangedSources);
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const std::string name = kChanges + "/" + kColumns[c].name;
      if (reader.has(name)) difference.added[c] = reader.array(name, difference.sources.size());
    }
  }
  difference.deferred = read_deferred(reader);
  difference.inputs = read_inputs(reader);
  return difference;
}

}  // namespace

std::uint64_t Decoded::step() const {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&body)) return checkpoint->state.step;
  return std::get<Difference>(body).step;
}

Decoded decode(ByteView bytes, const std::string& path) {
  const h5::File file = h5::open_image(unsealed(bytes, path), path);
  const Reader reader(file);
  if (const auto format = reader.attribute<std::string>(kFormatAttribute); format != kFormat) {
    fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected '{}', found '{}'", path, kFormatAttribute, kFormat, format);
  }
  if (const auto version = reader.attribute<std::uint64_t>(kVersionAttribute); version != kVersion) {
    fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected {}, found {}", path, kVersionAttribute, kVersion, version);
  }
  Decoded decoded;
  decoded.header.generation = reader.attribute<std::uint64_t>(kGeneration);
  decoded.header.content = reader.digest(kContent);
  const auto kind = reader.attribute<std::string>(kKind);
  if (kind == name_of(Kind::base)) {
    decoded.body = read_base(reader);
  } else if (kind == name_of(Kind::difference)) {
    decoded.header.parent_generation = reader.attribute<std::uint64_t>(kParentGeneration);
    decoded.header.parent_content = reader.digest(kParentContent);
    decoded.body = read_difference(reader);
  } else {
    fail(STOWAGE_DATA_ERROR, "{}: attribute {}: expected base or difference, found '{}'", path, kKind, kind);
  }
  return decoded;
}

}  // namespace stowage::checkpoint
