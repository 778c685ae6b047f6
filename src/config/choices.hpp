// SPDX-License-Identifier: Apache-2.0
// The enumerations of the configuration as the words that stand for them in YAML.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "config/config.hpp"

namespace stowage::config {

// By enumerator, in the order of declaration.
template <typename Enum>
struct Choices;

template <>
struct Choices<Format> {
  static constexpr std::array<std::string_view, 2> words{"megatron", "hdf5"};
};
template <>
struct Choices<OverLong> {
  static constexpr std::array<std::string_view, 4> words{"error", "drop", "truncate", "split"};
};
template <>
struct Choices<ZeroLength> {
  static constexpr std::array<std::string_view, 2> words{"keep", "drop"};
};
template <>
struct Choices<LastBatch> {
  static constexpr std::array<std::string_view, 2> words{"drop", "deliver"};
};
template <>
struct Choices<WeightUnit> {
  static constexpr std::array<std::string_view, 2> words{"sequences", "tokens"};
};
template <>
struct Choices<Order> {
  static constexpr std::array<std::string_view, 2> words{"shuffled", "sequential"};
};
template <>
struct Choices<Io> {
  static constexpr std::array<std::string_view, 2> words{"cooperative", "collective"};
};
template <>
struct Choices<Exchange> {
  static constexpr std::array<std::string_view, 3> words{"auto", "plain", "by_node"};
};
template <>
struct Choices<Delivery> {
  static constexpr std::array<std::string_view, 2> words{"auto", "messages"};
};
template <>
struct Choices<SampleUnit> {
  static constexpr std::array<std::string_view, 2> words{"sequence", "document"};
};

// The word of an enumerator.
template <typename Enum>
constexpr std::string_view word_of(Enum value) {
  return Choices<Enum>::words[static_cast<std::size_t>(value)];
}

}  // namespace stowage::config
