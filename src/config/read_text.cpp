// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "config/parse.hpp"

namespace stowage::config {

std::string read_text(const std::string& file) {
  std::error_code ignored;  // a file that cannot be looked at cannot be opened either, and that error says why
  if (std::filesystem::is_directory(file, ignored)) {
    fail(STOWAGE_IO_ERROR, "cannot read the configuration '{}': it is a directory, expected a YAML file", file);
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || text.bad()) {
    fail(STOWAGE_IO_ERROR, "cannot read the configuration '{}': {}", file, std::strerror(errno));
  }
  return text.str();
}

}  // namespace stowage::config
