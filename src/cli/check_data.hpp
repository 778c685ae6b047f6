// SPDX-License-Identifier: Apache-2.0
// `stowage check --data`: whether every token of every source is what its file and the configuration promise.
#pragma once

#include <vector>

#include "loader/catalogue.hpp"

namespace stowage::cli {

// Reads all shards of the catalogue once, in order, behind a progress bar on a terminal, and adds a problem for the
// first damage of each: a block that does not have its checksum, a token id past the vocabulary, a file that cannot be
// read.
void check_data(const config::Config& config, const loader::Catalogue& catalogue,
                std::vector<loader::Catalogue::Problem>& problems);

}  // namespace stowage::cli
