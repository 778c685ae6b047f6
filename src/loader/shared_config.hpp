// SPDX-License-Identifier: Apache-2.0
// One configuration for a whole team, of which one rank touches the file.
#pragma once

#include <string>

#include "config/config.hpp"
#include "exchange/team.hpp"

namespace stowage::loader {

// Rank 0 reads `path`, every rank parses the same text. Collective over `team`; every error is thrown by all.
config::Config share_config(const std::string& path, exchange::Team& team);

}  // namespace stowage::loader
