// SPDX-License-Identifier: Apache-2.0
#include "loader/job_info.hpp"

#include "base/narrow.hpp"
#include "loader/step_stream.hpp"

namespace stowage::loader {

deliver::JobInfo job_info(const config::Config& config, const Catalogue& catalogue, const Start& start) {
  deliver::JobInfo job;
  job.steps = count_steps(config, catalogue, start.state).value_or(0);
  job.first_step = start.first_step;
  job.replicas = config.data_parallel;
  job.micro_batch_tokens = config.micro_batch.tokens;
  job.steps_held = config.prefetch.steps;
  job.sources = narrow<std::uint32_t>(config.sources.size(), "number of sources");
  job.checkpoints = !config.checkpoint.directory.empty();
  job.acquire_seconds = config.limits.acquire_seconds;
  job.survives = config.shadows > 0;
  return job;
}

}  // namespace stowage::loader
