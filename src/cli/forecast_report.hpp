// SPDX-License-Identifier: Apache-2.0
// A forecast in words and a table, for people.
#pragma once

#include <string>

#include "cli/forecast.hpp"

namespace stowage::cli {

std::string report(const config::Config& config, const loader::Catalogue& catalogue, const Forecast& forecast);

}  // namespace stowage::cli
