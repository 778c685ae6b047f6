// SPDX-License-Identifier: Apache-2.0
// A loop over OpenMP threads that lets exceptions out.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>

namespace stowage {

// Calls work(i) for i in [0, count), in any order and at the same time. If calls throw, the exception of the lowest i
// is rethrown after the loop, so that the outcome does not depend on the number of threads.
template <typename Work>
void parallel_for(std::uint64_t count, Work&& work) {
  std::exception_ptr first;
  std::uint64_t first_index = std::numeric_limits<std::uint64_t>::max();
#pragma omp parallel for schedule(dynamic)
  for (std::uint64_t i = 0; i < count; ++i) {
    try {
      work(i);
    } catch (...) {
#pragma omp critical(stowage_parallel_for)
      if (i < first_index) {
        first_index = i;
        first = std::current_exception();
      }
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace stowage
