// SPDX-License-Identifier: Apache-2.0
// Failed system calls as Error.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace stowage::source {

// Throws STOWAGE_IO_ERROR "cannot <action> <path>: <reason of errno>".
[[noreturn]] inline void fail_with_errno(const char* action, const std::string& path) {
  const int code = errno;
  fail(STOWAGE_IO_ERROR, "cannot {} {}: {}", action, path, std::generic_category().message(code));
}

}  // namespace stowage::source
