// SPDX-License-Identifier: Apache-2.0
// One mapping of the configuration, read key by key.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/choices.hpp"
#include "config/report.hpp"
#include "config/tree.hpp"

namespace stowage::config {

// Usage: construct, call the reader of each key that the schema knows, finish(). A reader leaves the target as it was
// where the key is absent or its value is wrong, so that defaults stand in one place; it returns whether it has set the
// target. Whatever is wrong goes to the report; nothing throws. The node and the report must outlive the section.
class Section {
 public:
  // `place` stands before a message ("source 'books': "), `prefix` before a key ("batch."). `map` must be of kind map.
  Section(Report& report, const Node& map, std::string place = "", std::string prefix = "");

  template <std::integral T>
  bool integer(std::string_view key, T& target, std::uint64_t min, std::uint64_t max = largest<T>()) {
    const auto value = find_integer(key, min, max);
    if (value) target = static_cast<T>(*value);
    return value.has_value();
  }
  template <std::integral T>
  bool integer(std::string_view key, std::optional<T>& target, std::uint64_t min, std::uint64_t max = largest<T>()) {
    T value{};
    const bool is_set = integer(key, value, min, max);
    if (is_set) target = value;
    return is_set;
  }
  bool number(std::string_view key, double& target, double min, double max);
  bool boolean(std::string_view key, bool& target);
  bool text(std::string_view key, std::string& target);
  bool texts(std::string_view key, std::vector<std::string>& target);  // one text or a list of them, not empty
  template <typename Enum>
  bool choice(std::string_view key, Enum& target) {
    const auto index = find_choice(key, Choices<Enum>::words);
    if (index) target = static_cast<Enum>(*index);
    return index.has_value();
  }
  std::optional<Section> section(std::string_view key);
  const Node* list(std::string_view key);  // null if absent or not a list

  // Reports the key if it is absent; `why` says what it is for.
  void require(std::string_view key, std::string_view why);
  // Reports none and both.
  void require_exactly_one(std::string_view a, std::string_view b);
  // Reports the keys that no reader has asked for.
  void finish();

  bool has(std::string_view key) const { return entries_.contains(key); }
  Report& report() const { return *report_; }
  Mark mark() const { return map_->mark; }
  Mark mark_of(std::string_view key) const;  // of the value; {} if the key is absent
  // The key as messages call it: "source 'books': weight", "batch.tokens".
  std::string name_of(std::string_view key) const { return place_ + prefix_ + std::string(key); }

 private:
  struct Entry {
    Mark key_mark;
    const Node* value;
  };

  template <std::integral T>
  static constexpr std::uint64_t largest() {
    return static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  }

  const Node* ask(std::string_view key);
  template <typename T, typename Read>
  bool set(std::string_view key, T& target, const Read& read);
  std::optional<std::uint64_t> find_integer(std::string_view key, std::uint64_t min, std::uint64_t max);
  std::optional<std::size_t> find_choice(std::string_view key, std::span<const std::string_view> words);

  Report* report_;
  const Node* map_;
  std::string place_;
  std::string prefix_;
  std::map<std::string_view, Entry> entries_;
  std::vector<std::string_view> asked_;
};

}  // namespace stowage::config
