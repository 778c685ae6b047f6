// SPDX-License-Identifier: Apache-2.0
// Checked integer conversions and arithmetic: a count that does not fit is an error with its value, never a wrap.
#pragma once

#include <concepts>
#include <utility>

#include "base/error.hpp"

namespace stowage {

// The value as type To; throws STOWAGE_INVALID_ARGUMENT when it does not fit. `what` names the quantity.
template <std::integral To, std::integral From>
constexpr To narrow(From value, const char* what = "integer") {
  if (!std::in_range<To>(value)) {
    fail(STOWAGE_INVALID_ARGUMENT, "{} must fit in {} {} bits, got {}", what, sizeof(To) * 8,
         std::is_signed_v<To> ? "signed" : "unsigned", value);
  }
  return static_cast<To>(value);
}

template <std::integral T>
constexpr T checked_add(T a, T b, const char* what = "sum") {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) fail(STOWAGE_INVALID_ARGUMENT, "{} overflows: {} + {}", what, a, b);
  return result;
}

template <std::integral T>
constexpr T checked_mul(T a, T b, const char* what = "product") {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) fail(STOWAGE_INVALID_ARGUMENT, "{} overflows: {} * {}", what, a, b);
  return result;
}

template <std::unsigned_integral T>
constexpr T div_ceil(T a, T b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

template <std::unsigned_integral T>
constexpr T round_up(T value, T multiple) {
  return checked_mul(div_ceil(value, multiple), multiple, "rounded value");
}

}  // namespace stowage
