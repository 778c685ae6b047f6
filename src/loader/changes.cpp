// SPDX-License-Identifier: Apache-2.0
#include "loader/changes.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace stowage::loader {
namespace {

using checkpoint::Fingerprint;

constexpr const char* kAbsent = "absent";

std::string order_of(const Fingerprint& fingerprint) {
  std::string names;
  for (const Fingerprint::Source& source : fingerprint.sources) names += (names.empty() ? "" : ", ") + source.name;
  return names;
}

bool opened(const Fingerprint::Source& source) {
  return source.sequences != 0 || !source.files.empty();
}

const Fingerprint::Source* find(const Fingerprint& in, const std::string& name) {
  const auto found = std::ranges::find(in.sources, name, &Fingerprint::Source::name);
  return found == in.sources.end() ? nullptr : &*found;
}

// The source that a setting belongs to ("sources.NAME.key"), if to one.
bool belongs_to(const std::string& key, const std::string& source) {
  const std::string prefix = "sources." + source + ".";
  return key.starts_with(prefix) && key.find('.', prefix.size()) == std::string::npos;
}

bool of_source_missing(const std::string& key, const Fingerprint& from, const Fingerprint& in) {
  return std::ranges::any_of(from.sources, [&](const Fingerprint::Source& source) {
    return belongs_to(key, source.name) && find(in, source.name) == nullptr;
  });
}

Change setting_change(const std::string& key, const std::string& then, const std::string& now) {
  Change change{key, then, now};
  const bool of_source = key.starts_with("sources.");
  if (key == "seed" || (of_source && (key.ends_with(".order") || key.ends_with(".sample")))) {
    change.effect = Effect::refused;
  }
  change.mixture = key == "weights" || key == "epochs" || (of_source && key.ends_with(".weight"));
  return change;
}

void compare_settings(const Fingerprint& then, const Fingerprint& now, std::vector<Change>& changes) {
  std::map<std::string, std::string> values;
  for (const Fingerprint::Setting& setting : now.settings) values.emplace(setting.key, setting.value);
  for (const Fingerprint::Setting& setting : then.settings) {
    if (of_source_missing(setting.key, then, now)) continue;
    const auto found = values.find(setting.key);
    const std::string& value = found != values.end() ? found->second : kAbsent;
    if (value != setting.value) changes.push_back(setting_change(setting.key, setting.value, value));
    if (found != values.end()) values.erase(found);
  }
  for (const Fingerprint::Setting& setting : now.settings) {
    if (!values.contains(setting.key) || of_source_missing(setting.key, now, then)) continue;
    changes.push_back(setting_change(setting.key, kAbsent, setting.value));
  }
}

void compare_files(const Fingerprint::Source& then, const Fingerprint::Source& now, std::vector<Change>& changes) {
  const std::string prefix = "sources." + then.name + ".path: ";
  if (then.files.size() != now.files.size()) {
    changes.push_back(
        {prefix + "files", fmt::format("{}", then.files.size()), fmt::format("{}", now.files.size()), Effect::refused});
    return;
  }
  for (std::size_t f = 0; f < then.files.size(); ++f) {
    const Fingerprint::File& before = then.files[f];
    const Fingerprint::File& after = now.files[f];
    if (before.bytes != after.bytes) {
      changes.push_back({prefix + after.path, fmt::format("{} bytes", before.bytes),
                         fmt::format("{} bytes", after.bytes), Effect::refused});
    } else if (before.path != after.path) {
      changes.push_back({prefix + "file", before.path, after.path, Effect::none});
    } else if (before.modified_ns != after.modified_ns) {
      changes.push_back({prefix + after.path, fmt::format("changed at {} ns", before.modified_ns),
                         fmt::format("at {} ns", after.modified_ns), Effect::none});
    }
  }
}

void compare_data(const Fingerprint::Source& then, const Fingerprint::Source& now, std::vector<Change>& changes) {
  const std::string key = "sources." + then.name;
  if (then.sequences != now.sequences || then.tokens != now.tokens) {
    changes.push_back({key, fmt::format("{} sequences of {} tokens", then.sequences, then.tokens),
                       fmt::format("{} of {}", now.sequences, now.tokens), Effect::refused, true});
  }
  if (then.index != now.index) {
    changes.push_back({key + ": index (lengths of all sequences)", then.index.hex(), now.index.hex(), Effect::refused});
  }
  compare_files(then, now, changes);
}

}  // namespace

std::vector<Change> changes_between(const Fingerprint& then, const Fingerprint& now) {
  std::vector<Change> changes;
  compare_settings(then, now, changes);
  for (const Fingerprint::Source& source : then.sources) {
    const Fingerprint::Source* other = find(now, source.name);
    if (other == nullptr) {
      changes.push_back({"sources." + source.name, "present", kAbsent, Effect::refused, true});
    } else if (opened(source) && opened(*other)) {
      compare_data(source, *other, changes);
    }
  }
  for (const Fingerprint::Source& source : now.sources) {
    if (find(then, source.name) != nullptr) continue;
    changes.push_back(
        {"sources." + source.name, kAbsent, fmt::format("{} sequences", source.sequences), Effect::input, true});
  }
  const auto same_name = [](const Fingerprint::Source& a, const Fingerprint::Source& b) { return a.name == b.name; };
  const bool in_order =
      then.sources.size() != now.sources.size() || std::ranges::equal(then.sources, now.sources, same_name);
  const bool all_known = std::ranges::none_of(changes, [](const Change& one) { return one.mixture; });
  if (!in_order && all_known) changes.push_back({"sources", order_of(then), order_of(now), Effect::input, true});
  return changes;
}

Fingerprint with_known_data(Fingerprint now, const Fingerprint& then) {
  for (Fingerprint::Source& source : now.sources) {
    const Fingerprint::Source* known = find(then, source.name);
    if (known != nullptr && !opened(source)) source = *known;
  }
  return now;
}

}  // namespace stowage::loader
