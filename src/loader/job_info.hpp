// SPDX-License-Identifier: Apache-2.0
// What trainers are told of a run.
#pragma once

#include "deliver/protocol.hpp"
#include "loader/catalogue.hpp"
#include "loader/resume.hpp"

namespace stowage::loader {

// Everything but `replica`, `trainers` and `loaders`, which are by trainer and job, of a run that goes on from `start`.
// Pure.
deliver::JobInfo job_info(const config::Config& config, const Catalogue& catalogue, const Start& start);

}  // namespace stowage::loader
