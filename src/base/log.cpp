// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <cstdlib>

namespace stowage {

spdlog::logger& log() {
  static spdlog::logger logger = [] {
    spdlog::logger made("stowage", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_pattern("%H:%M:%S.%e %n %l: %v");
    const char* level = std::getenv("STOWAGE_LOG");
    made.set_level(level != nullptr ? spdlog::level::from_str(level) : spdlog::level::warn);
    return made;
  }();
  return logger;
}

}  // namespace stowage
