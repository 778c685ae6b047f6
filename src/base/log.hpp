// SPDX-License-Identifier: Apache-2.0
// Logging to standard error (spdlog). Level by the environment variable STOWAGE_LOG: trace, debug, info, warn
// (default), error, off. Standard output is never touched.
#pragma once

#include <spdlog/logger.h>

namespace stowage {

// The process-wide logger "stowage". Thread-safe.
spdlog::logger& log();

}  // namespace stowage
