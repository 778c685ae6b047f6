// SPDX-License-Identifier: Apache-2.0
// Run-time assertions in three levels, chosen by the CMake cache variable STOWAGE_ASSERT_LEVEL:
//   light   constant-time checks of our own invariants; always on
//   normal  checks that cost time linear in the data
//   comm    checks that communicate (every rank passed the same root, the same plan, ...)
// A failed assertion throws Error with STOWAGE_INTERNAL_ERROR; it never aborts.
#pragma once

#include "base/error.hpp"

namespace stowage {

inline constexpr int kAssertLight = 0;
inline constexpr int kAssertNormal = 1;
inline constexpr int kAssertComm = 2;

#ifndef STOWAGE_ASSERT_LEVEL
#define STOWAGE_ASSERT_LEVEL 0
#endif

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line, const std::string& why) {
  fail(STOWAGE_INTERNAL_ERROR, "{}:{}: assertion '{}' failed: {}", file, line, condition, why);
}

}  // namespace stowage

// STOWAGE_ASSERT(level, condition, format, args...) with level kAssertLight, kAssertNormal or kAssertComm.
#define STOWAGE_ASSERT(level, condition, ...)                                                                  \
  do {                                                                                                         \
    if constexpr ((level) <= STOWAGE_ASSERT_LEVEL) {                                                           \
      if (!(condition)) ::stowage::assertion_failed(#condition, __FILE__, __LINE__, fmt::format(__VA_ARGS__)); \
    }                                                                                                          \
  } while (false)
