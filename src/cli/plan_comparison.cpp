// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_comparison.hpp"

#include <chrono>

namespace stowage::cli {
namespace {

void add(plan::PhaseRatios& sum, const plan::PhaseRatios& one) {
  sum.vision += one.vision;
  sum.language += one.language;
  sum.vision_pad += one.vision_pad;
  sum.language_pad += one.language_pad;
}

void divide(plan::PhaseRatios& sum, double count) {
  for (double* value : {&sum.vision, &sum.language, &sum.vision_pad, &sum.language_pad}) *value /= count;
}

constexpr double plan::Measures::*kNumbers[] = {
    &plan::Measures::replica_max_over_mean, &plan::Measures::replica_bound_max_over_mean,
    &plan::Measures::slowest_over_bound,    &plan::Measures::makespan_over_bound,
    &plan::Measures::micro_batches,         &plan::Measures::micro_batches_bound,
    &plan::Measures::padding_share};

ComparedMethod run(const Comparison& comparison, const plan::Method& method) {
  ComparedMethod result;
  result.name = method.name;
  for (double plan::Measures::*number : kNumbers) result.mean.*number = 0.0;
  for (const StepLengths& step : comparison.steps) {
    const plan::Request request = step_request(comparison.request, step);
    const auto begin = std::chrono::steady_clock::now();
    plan::Plan plan = method.plan(request);
    result.plan_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const plan::Measures measures = plan::measure(request, plan);
    for (double plan::Measures::*number : kNumbers) result.mean.*number += measures.*number;
    add(result.mean.ratios, measures.ratios);
    add(result.mean.ratio_bounds, measures.ratio_bounds);
    result.mean.dropped += measures.dropped;
    if (result.first_plan.replica_begin.empty()) result.first_plan = std::move(plan);
  }
  const auto count = static_cast<double>(comparison.steps.size());
  for (double plan::Measures::*number : kNumbers) result.mean.*number /= count;
  divide(result.mean.ratios, count);
  divide(result.mean.ratio_bounds, count);
  result.plan_ms /= count;
  return result;
}

}  // namespace

plan::Request step_request(const plan::Request& request, const StepLengths& step) {
  plan::Request one = request;
  one.tokens = step.tokens;
  one.vision_tiles = step.tiles;
  return one;
}

void compare(Comparison& comparison, const std::vector<const plan::Method*>& methods) {
  for (const plan::Method* method : methods) comparison.methods.push_back(run(comparison, *method));
}

}  // namespace stowage::cli
