// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>

#include "config/scalar.hpp"
#include "config/schema.hpp"

namespace stowage::config {
namespace {

constexpr double kNoMaximum = std::numeric_limits<double>::infinity();

bool has_weight(const Source& source) {
  return source.weight_mark != Mark{};
}

// How messages call a source: by name where it has one, else by its place in the list, from 1.
std::string label(std::string_view name, std::size_t place) {
  return name.empty() ? fmt::format("source {}", place) : fmt::format("source '{}'", printable(name));
}

std::string_view name_in(const Node& entry) {
  for (std::size_t at = 0; at + 1 < entry.items.size(); at += 2) {
    if (entry.items[at]->text == "name") return entry.items[at + 1]->text;
  }
  return "";
}

// `path` as seen from `folder`, whose own name must not act as a glob.
std::string resolved(const std::string& path, const std::filesystem::path& folder) {
  constexpr std::string_view special = "*?[\\";
  const bool is_glob = path.find_first_of(special) != std::string::npos;
  if (!is_glob || folder.empty() || std::filesystem::path(path).is_absolute()) return (folder / path).string();
  std::string escaped;
  for (const char c : folder.string()) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped + '/' + path;
}

// A wrong word becomes the policy that accepts every sequence.
void read_over_long(Section& section, OverLong& over_long) {
  if (!section.choice("over_long", over_long) && section.has("over_long")) over_long = OverLong::truncate;
}

// `source` comes with the defaults of the file.
Source read_source(Section& section, Source source, const std::filesystem::path& folder) {
  source.mark = section.mark();
  source.path_mark = section.mark_of("path");
  source.weight_mark = section.mark_of("weight");
  section.require("name", "it names the source in reports and keys its shuffled order");
  section.text("name", source.name);
  section.require("format", "it must be megatron or hdf5");
  const bool has_format = section.choice("format", source.format);
  section.require("path", "it names the source's files, as one path or a list of paths");
  section.texts("path", source.paths);
  for (std::string& path : source.paths) path = resolved(path, folder);
  if (!has_format) source.paths.clear();  // nobody can tell how to open them
  const bool is_weighted = section.number("weight", source.weight, 0.0, kNoMaximum);
  if (has_weight(source) && !is_weighted) source.weight = 1.0;
  read_over_long(section, source.over_long);
  section.choice("zero_length", source.zero_length);
  section.choice("order", source.order);
  section.choice("sample", source.sample);
  section.integer("vocab_size", source.vocab_size, 1);
  section.finish();
  return source;
}

class UniqueNames {
 public:
  explicit UniqueNames(Report& report) : report_(report) {}

  void add(const std::string& name, Mark mark) {
    if (name.empty()) return;  // reported already
    const auto [first, is_new] = first_.try_emplace(name, mark);
    if (is_new) return;
    report_.add(mark, "duplicate source name '{}': first given at line {}", printable(name), first->second.line);
  }

 private:
  Report& report_;
  std::map<std::string, Mark> first_;
};

void check_weights(Report& report, Config& config) {
  std::vector<Source>& sources = config.sources;
  const bool all_zero = std::all_of(sources.begin(), sources.end(),
                                    [](const Source& source) { return has_weight(source) && source.weight == 0.0; });
  if (all_zero && report.complete) {
    report.add(sources.front().weight_mark, "the weights of all sources are 0: give at least one a weight > 0");
    config.natural_weights = true;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (has_weight(sources[i]) || !report.complete) continue;
    report.add(sources[i].mark, "{}: weight is missing: give every source a weight, or none",
               label(sources[i].name, i + 1));
    sources[i].weight = 1.0;
  }
}

// The defaults for all sources, as a source without anything of its own.
Source read_defaults(Section& top) {
  Source defaults;
  read_over_long(top, defaults.over_long);
  top.choice("zero_length", defaults.zero_length);
  top.integer("vocab_size", defaults.vocab_size, 1);
  return defaults;
}

}  // namespace

void read_sources(Section& top, Config& config) {
  Report& report = top.report();
  const Source defaults = read_defaults(top);
  top.choice("weights", config.weight_unit);
  top.require("sources", "it lists the data sets to draw from");
  const Node* list = top.list("sources");
  if (list == nullptr) return;
  if (list->items.empty() && report.complete) report.add(list->mark, "sources must not be an empty list");

  const std::filesystem::path folder = std::filesystem::path(config.file).parent_path();
  UniqueNames names(report);
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& entry = *list->items[i];
    if (entry.kind != Node::Kind::map) {
      report.add(entry.mark, "source {} must be a mapping, got {}", i + 1, shown(entry));
      continue;
    }
    Section section(report, entry, label(name_in(entry), i + 1) + ": ");
    config.sources.push_back(read_source(section, defaults, folder));
    names.add(config.sources.back().name, section.mark_of("name"));
  }
  config.natural_weights = std::none_of(config.sources.begin(), config.sources.end(), has_weight);
  if (!config.natural_weights) check_weights(report, config);
}

}  // namespace stowage::config
