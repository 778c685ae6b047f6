// SPDX-License-Identifier: Apache-2.0
// The one exception type of stowage. Thrown inside the library, turned into a status and a message at the C API and
// into an exit code by the programs.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "stowage/status.h"

namespace stowage {

using Status = stowage_status;

// The pinned name without prefix, in lower case: "config error".
std::string_view status_name(Status status) noexcept;

// what() says what was expected, what was found, where, and what to do.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Status status() const noexcept { return status_; }

 private:
  Status status_;
};

// Throws Error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(Status status, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(status, fmt::format(format, std::forward<Args>(args)...));
}

// The status and the message of the exception now being handled (call inside a catch block): Error as it is,
// std::bad_alloc as STOWAGE_OUT_OF_MEMORY, everything else as STOWAGE_INTERNAL_ERROR.
std::pair<Status, std::string> current_exception_status() noexcept;

}  // namespace stowage
