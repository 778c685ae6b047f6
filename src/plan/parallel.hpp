// SPDX-License-Identifier: Apache-2.0
// Loops over independent pieces of a plan. Only the time taken depends on the number of threads.
#pragma once

#include <cstddef>
#include <exception>

namespace stowage::plan {

// Steps of fewer sequences are planned on the calling thread: waking others would take longer.
inline constexpr std::size_t kParallelItems = std::size_t{1} << 15;

// body(k) for k in [0, count), on OpenMP's threads when `parallel`. Rethrows an exception of the body, after all others
// have run.
template <typename Body>
void for_each_index(std::size_t count, bool parallel, Body body) {
  std::exception_ptr error;
#pragma omp parallel for schedule(dynamic, 8) if (parallel)
  for (std::size_t k = 0; k < count; ++k) {
    try {
      body(k);
    } catch (...) {
#pragma omp critical(stowage_plan_error)
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace stowage::plan
