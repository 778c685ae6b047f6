// SPDX-License-Identifier: Apache-2.0
// The JSON that runs leave behind.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "loader/serve.hpp"

namespace stowage::cli {

nlohmann::ordered_json to_json(const loader::ServeSummary& summary);

// Pretty-printed, under a temporary name first. Throws STOWAGE_IO_ERROR.
void write_json(const std::string& path, const nlohmann::ordered_json& value);

nlohmann::ordered_json read_json(const std::string& path);  // throws STOWAGE_IO_ERROR or STOWAGE_DATA_ERROR

}  // namespace stowage::cli
