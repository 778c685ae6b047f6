// SPDX-License-Identifier: Apache-2.0
#include "loader/threads.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdlib>

namespace stowage::loader {

void share_cores(const std::vector<int>& nodes, int me) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  const auto beside = std::ranges::count(nodes, nodes[static_cast<std::size_t>(me)]);
  omp_set_num_threads(std::max(1, omp_get_num_procs() / static_cast<int>(beside)));
}

}  // namespace stowage::loader
