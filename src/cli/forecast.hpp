// SPDX-License-Identifier: Apache-2.0
// What a run would do, from the indexes alone: the drawn order is gone through without reading a token.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loader/catalogue.hpp"
#include "loader/step_stream.hpp"

namespace stowage::cli {

struct LastBatch {
  std::uint64_t sequences = 0;
  std::uint64_t tokens = 0;  // only where batches are measured in tokens
  bool is_dropped = false;
};

struct Forecast {
  bool is_exact = true;  // false: the run is longer than what was gone through; scaled up from its beginning
  std::optional<std::uint64_t> steps;
  std::vector<double> shares;  // by source, of what `weights` counts; add up to 1
  std::vector<checkpoint::SourceCount>
      sources;                    // in configuration order; empty if one step alone is too long to look at
  std::optional<LastBatch> last;  // of a run of epochs, if it can be known

  checkpoint::SourceCount total() const;
};

// Goes through at most about max_draws draws. `catalogue` must be one process's own, without problems.
Forecast forecast(const config::Config& config, const loader::Catalogue& catalogue, std::uint64_t max_draws);

}  // namespace stowage::cli
