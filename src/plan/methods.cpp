// SPDX-License-Identifier: Apache-2.0
#include "plan/methods.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "plan/baselines/baselines.hpp"
#include "plan/planner.hpp"

namespace stowage::plan {

namespace {

Plan stowage_plan(const Request& request) {
  return request.cap == 0 ? replica_plan(request) : make_plan(request);
}

constexpr std::array kMethods = {
    Method{"stowage", "local search in two stages", stowage_plan},
    Method{"as-drawn", "contiguous blocks in drawn order", baselines::as_drawn},
    Method{"length-grouped", "sorted by length and dealt in turn", baselines::length_grouped},
    Method{"first-fit", "packs filled in drawn order, no cost (Megatron-Core dp_balanced)", baselines::first_fit},
    Method{"lpt", "longest processing time first", baselines::lpt},
    Method{"karmarkar-karp", "differencing", baselines::karmarkar_karp},
    Method{"karmarkar-karp-equal", "differencing with equal counts of sequences", baselines::karmarkar_karp_equal},
    Method{"omnibal", "iterative sampling and filtering, best of its parameters", baselines::omnibal},
};

}  // namespace

std::span<const Method> methods() {
  return kMethods;
}

const Method& method(std::string_view name) {
  const auto found =
      std::find_if(kMethods.begin(), kMethods.end(), [&](const Method& one) { return one.name == name; });
  if (found != kMethods.end()) return *found;
  std::string names;
  for (const Method& one : kMethods) names += (names.empty() ? "" : ", ") + std::string(one.name);
  fail(STOWAGE_INVALID_ARGUMENT, "unknown method '{}'; the methods are {}", name, names);
}

}  // namespace stowage::plan
