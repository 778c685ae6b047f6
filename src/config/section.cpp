// SPDX-License-Identifier: Apache-2.0
#include "config/section.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "config/scalar.hpp"

namespace stowage::config {
namespace {

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest(word, candidates);
  return near.empty() ? std::string() : fmt::format(": did you mean '{}'?", near);
}

// "a, b or c"
std::string alternatives(std::span<const std::string_view> words) {
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

}  // namespace

Section::Section(Report& report, const Node& map, std::string place, std::string prefix)
    : report_(&report), map_(&map), place_(std::move(place)), prefix_(std::move(prefix)) {
  for (std::size_t at = 0; at + 1 < map.items.size(); at += 2) {
    const Node& key = *map.items[at];
    if (key.kind != Node::Kind::scalar) {
      report.add(key.mark, "a key must be text, got {}", shown(key));
      continue;
    }
    const auto [first, is_new] = entries_.try_emplace(key.text, Entry{key.mark, map.items[at + 1].get()});
    if (!is_new) {
      report.add(key.mark, "{}duplicate key '{}{}': first given at line {}", place_, prefix_, printable(key.text),
                 first->second.key_mark.line);
    }
  }
}

template <typename T, typename Read>
bool Section::set(std::string_view key, T& target, const Read& read) {
  const Node* node = ask(key);
  if (node == nullptr) return false;
  auto value = read(Asked{*report_, name_of(key), mark_of(key)}, *node);
  if (value) target = std::move(*value);
  return value.has_value();
}

bool Section::number(std::string_view key, double& target, double min, double max) {
  return set(key, target, [&](const Asked& asked, const Node& node) { return as_number(asked, node, min, max); });
}

bool Section::boolean(std::string_view key, bool& target) {
  return set(key, target, as_boolean);
}

bool Section::text(std::string_view key, std::string& target) {
  return set(key, target, as_text);
}

bool Section::texts(std::string_view key, std::vector<std::string>& target) {
  return set(key, target, as_texts);
}

std::optional<Section> Section::section(std::string_view key) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != Node::Kind::map) {
    report_->add(mark_of(key), "{} must be a mapping, got {}", name_of(key), shown(*node));
    return std::nullopt;
  }
  return Section(*report_, *node, place_, prefix_ + std::string(key) + ".");
}

const Node* Section::list(std::string_view key) {
  const Node* node = ask(key);
  if (node == nullptr) return nullptr;
  if (node->kind != Node::Kind::list) {
    report_->add(mark_of(key), "{} must be a list, got {}", name_of(key), shown(*node));
    return nullptr;
  }
  return node;
}

void Section::require(std::string_view key, std::string_view why) {
  if (!has(key) && report_->complete) report_->add(mark(), "{} is missing: {}", name_of(key), why);
}

void Section::require_exactly_one(std::string_view a, std::string_view b) {
  if (has(a) && has(b)) {
    report_->add(std::max(entries_.at(a).key_mark, entries_.at(b).key_mark), "give either {} or {}, not both",
                 name_of(a), name_of(b));
  }
  if (!has(a) && !has(b) && report_->complete) {
    report_->add(mark(), "either {} or {} is missing", name_of(a), name_of(b));
  }
}

void Section::finish() {
  for (const auto& [key, entry] : entries_) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    std::string hint = suggestion(key, asked_);
    if (hint.empty()) hint = fmt::format(": expected one of {}", fmt::join(asked_, ", "));
    report_->add(entry.key_mark, "{}unknown key '{}{}'{}", place_, prefix_, printable(key), hint);
  }
}

Mark Section::mark_of(std::string_view key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  // The parser places a value that is not written at the token after it.
  const Entry& entry = found->second;
  return entry.value->kind == Node::Kind::null ? entry.key_mark : entry.value->mark;
}

const Node* Section::ask(std::string_view key) {
  asked_.push_back(key);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.value;
}

std::optional<std::uint64_t> Section::find_integer(std::string_view key, std::uint64_t min, std::uint64_t max) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  return as_integer({*report_, name_of(key), mark_of(key)}, *node, min, max);
}

std::optional<std::size_t> Section::find_choice(std::string_view key, std::span<const std::string_view> words) {
  const Node* node = ask(key);
  if (node == nullptr) return std::nullopt;
  const bool is_word = node->kind == Node::Kind::scalar;
  const auto found = is_word ? std::find(words.begin(), words.end(), node->text) : words.end();
  if (found == words.end()) {
    report_->add(mark_of(key), "{} must be {}, got {}{}", name_of(key), alternatives(words), shown(*node),
                 is_word ? suggestion(node->text, words) : std::string());
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace stowage::config
