// SPDX-License-Identifier: Apache-2.0
// Assignment methods side by side on the same steps.
#pragma once

#include <string>
#include <vector>

#include "cli/length_table.hpp"
#include "plan/measure.hpp"
#include "plan/methods.hpp"

namespace stowage::cli {

struct ComparedMethod {
  std::string name;
  plan::Measures mean;    // over the steps; `dropped` is their sum
  double plan_ms = 0.0;   // mean over the steps
  plan::Plan first_plan;  // of the first step
};

struct Comparison {
  std::string title;            // what the lengths are of
  plan::Request request;        // without the arrays of a step
  std::uint64_t sequences = 0;  // a step, as asked
  std::vector<StepLengths> steps;
  std::vector<ComparedMethod> methods;
};

// The request of one step; borrows from it.
plan::Request step_request(const plan::Request& request, const StepLengths& step);

// Plans every step of the comparison with every method and fills in `methods`.
void compare(Comparison& comparison, const std::vector<const plan::Method*>& methods);

}  // namespace stowage::cli
