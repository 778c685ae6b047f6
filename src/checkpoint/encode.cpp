// SPDX-License-Identifier: Apache-2.0
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

// One column of a list of structs: values(list, [](const T& one) { return one.member; }).
template <typename List, typename Member>
std::vector<std::uint64_t> values(const List& list, Member member) {
  std::vector<std::uint64_t> result;
  result.reserve(list.size());
  for (const auto& one : list) result.push_back(member(one));
  return result;
}

h5::File new_file(const Header& header, Kind kind, const std::string& path) {
  h5::File file = h5::create_in_memory(path);
  const h5::AttributeOwner root{file.id(), file.path()};
  h5::write_attribute(root, kFormatAttribute, kFormat);
  h5::write_attribute(root, kVersionAttribute, kVersion);
  h5::write_attribute(root, kKind, std::string(name_of(kind)));
  h5::write_attribute(root, kGeneration, header.generation);
  h5::write_attribute(root, kContent, header.content.hex());
  if (kind == Kind::difference) {
    h5::write_attribute(root, kParentGeneration, header.parent_generation);
    h5::write_attribute(root, kParentContent, header.parent_content.hex());
  }
  return file;
}

void write_place(const h5::File& file, std::uint64_t step, std::uint64_t position, const Digest& plans) {
  const h5::AttributeOwner root{file.id(), file.path()};
  h5::write_attribute(root, kStep, step);
  h5::write_attribute(root, kPosition, position);
  h5::write_attribute(root, kPlans, plans.hex());
}

void write_deferred(const h5::File& file, const std::vector<Deferred>& deferred) {
  if (deferred.empty()) return;
  h5::create_small_group(file, kDeferred);
  const auto write = [&](const std::string& name, const char* unit, auto member) {
    h5::write_unsigned(file, name, values(deferred, member), unit);
  };
  write(kDeferredPosition, "draws", [](const Deferred& one) { return one.draw.position; });
  write(kDeferredSource, "index", [](const Deferred& one) { return one.draw.source; });
  write(kDeferredSequence, "index", [](const Deferred& one) { return one.draw.sequence; });
  write(kDeferredEpoch, "epochs", [](const Deferred& one) { return one.draw.epoch; });
  write(kDeferredWaited, "steps", [](const Deferred& one) { return one.waited; });
}

void write_inputs(const h5::File& file, const std::vector<Input>& inputs) {
  if (inputs.empty()) return;
  h5::create_small_group(file, kInputs);
  h5::write_unsigned(file, kInputSteps, values(inputs, [](const Input& input) { return input.step; }), "steps");
  TextTable texts;
  for (const Input& input : inputs) texts.add({input.kind, input.text});
  h5::write_text(file, kInputTexts, texts.text());
}

void write_files(const h5::File& file, const std::vector<Fingerprint::Source>& sources) {
  TextTable paths;
  std::vector<std::uint64_t> of_source;
  std::vector<std::uint64_t> bytes;
  std::vector<std::int64_t> modified;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Fingerprint::File& one : sources[s].files) {
      paths.add({one.path});
      of_source.push_back(s);
      bytes.push_back(one.bytes);
      modified.push_back(one.modified_ns);
    }
  }
  h5::create_small_group(file, kFiles);
  h5::write_text(file, kFilePaths, paths.text());
  h5::write_unsigned(file, kFileSources, of_source, "index");
  h5::write_unsigned(file, kFileBytes, bytes, "bytes");
  const h5::DatasetId dataset = h5::write_array<std::int64_t>(file, kFileModified, modified);
  h5::write_attribute({dataset.id(), file.path()}, "unit", std::string("nanoseconds since 1970"));
}

void write_fingerprint(const h5::File& file, const Fingerprint& fingerprint) {
  using Source = Fingerprint::Source;
  TextTable settings;
  for (const Fingerprint::Setting& setting : fingerprint.settings) settings.add({setting.key, setting.value});
  h5::write_text(file, kSettings, settings.text());

  TextTable names;
  for (const Source& source : fingerprint.sources) names.add({source.name});
  h5::write_text(file, kSourceNames, names.text());
  const auto write = [&](const std::string& name, const char* unit, auto member) {
    h5::write_unsigned(file, name, values(fingerprint.sources, member), unit);
  };
  write(kSourceSequences, "sequences", [](const Source& source) { return source.sequences; });
  write(kSourceTokens, "tokens", [](const Source& source) { return source.tokens; });
  write(kSourceIndexHigh, "digest", [](const Source& source) { return source.index.high; });
  write(kSourceIndexLow, "digest", [](const Source& source) { return source.index.low; });
  write_files(file, fingerprint.sources);
}

std::string column_name(const std::string& group, const Column& column) {
  return group + "/" + column.name;
}

}  // namespace

Bytes encode(const Header& header, const Checkpoint& checkpoint, const std::string& path) {
  const IteratorState& state = checkpoint.state;
  const std::size_t sources = checkpoint.fingerprint.sources.size();
  if (state.draws.drawn.size() != sources || state.draws.stage_base.size() != sources ||
      state.counts.size() != sources) {
    fail(STOWAGE_INVALID_ARGUMENT, "{}: expected draws, stages and counts of {} sources, found {}, {} and {}", path,
         sources, state.draws.drawn.size(), state.draws.stage_base.size(), state.counts.size());
  }
  const h5::File file = new_file(header, Kind::base, path);
  write_place(file, state.step, state.draws.position, state.plans);
  h5::create_small_group(file, kSources);
  write_fingerprint(file, checkpoint.fingerprint);
  const Columns columns = columns_of(state);
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    h5::write_unsigned(file, column_name(kSources, kColumns[c]), columns[c], kColumns[c].unit);
  }
  write_deferred(file, state.deferred);
  write_inputs(file, checkpoint.inputs);
  return sealed(h5::image(file));
}

Bytes encode(const Header& header, const Difference& difference, const std::string& path) {
  const h5::File file = new_file(header, Kind::difference, path);
  write_place(file, difference.step, difference.position, difference.plans);
  if (!difference.sources.empty()) {
    h5::create_small_group(file, kChanges);
    h5::write_unsigned(file, kChangedSources, difference.sources, "index");
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      if (difference.added[c].empty()) continue;
      h5::write_unsigned(file, column_name(kChanges, kColumns[c]), difference.added[c], kColumns[c].unit);
    }
  }
  write_deferred(file, difference.deferred);
  write_inputs(file, difference.inputs);
  return sealed(h5::image(file));
}

}  // namespace stowage::checkpoint
