// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace stowage::cli {
namespace {

struct Column {
  std::string head;
  std::vector<std::string> cells;
};

std::string with_bound(double value, double bound) {
  return fmt::format("{:.4f} ({:.4f})", value, bound);
}

std::vector<Column> columns_of(const Comparison& comparison) {
  const bool packs = comparison.request.cap != 0;
  const bool vision = !comparison.steps.front().tiles.empty();
  std::vector<Column> columns;
  const auto column = [&](std::string head, auto cell) {
    Column one{std::move(head), {}};
    for (const ComparedMethod& method : comparison.methods) one.cells.push_back(cell(method));
    columns.push_back(std::move(one));
  };
  column("method", [](const ComparedMethod& m) { return m.name; });
  column("max/mean (bound)", [](const ComparedMethod& m) {
    return fmt::format("{:.5f} ({:.5f})", m.mean.replica_max_over_mean, m.mean.replica_bound_max_over_mean);
  });
  column("makespan/bound", [](const ComparedMethod& m) { return fmt::format("{:.5f}", m.mean.makespan_over_bound); });
  if (packs) {
    column("slowest/bound", [](const ComparedMethod& m) { return fmt::format("{:.4f}", m.mean.slowest_over_bound); });
    column("micro-batches (bound)", [](const ComparedMethod& m) {
      return fmt::format("{:.1f} ({:.1f})", m.mean.micro_batches, m.mean.micro_batches_bound);
    });
    column("padding", [](const ComparedMethod& m) { return fmt::format("{:.1f} %", 100.0 * m.mean.padding_share); });
    if (vision) {
      column("DistRatio vision (bound)",
             [](const ComparedMethod& m) { return with_bound(m.mean.ratios.vision, m.mean.ratio_bounds.vision); });
    }
    column("DistRatio language (bound)",
           [](const ComparedMethod& m) { return with_bound(m.mean.ratios.language, m.mean.ratio_bounds.language); });
  }
  column("dropped", [](const ComparedMethod& m) { return with_thousands(m.mean.dropped); });
  column("ms", [](const ComparedMethod& m) { return fmt::format("{:.2f}", m.plan_ms); });
  return columns;
}

std::string objective_text(const plan::Request& request) {
  switch (request.objective) {
    case plan::Objective::pipeline:
      return fmt::format(", pipeline of {} stages: (micro-batches + {}) x slowest", request.pipeline_stages,
                         request.pipeline_stages - 1);
    case plan::Objective::one_f_one_b:
      return fmt::format(", pipeline of {} stages: simulated 1F1B", request.pipeline_stages);
    case plan::Objective::makespan:
      break;
  }
  return "";
}

}  // namespace

std::string plan_table(const Comparison& comparison) {
  const plan::Request& request = comparison.request;
  std::string text = fmt::format(
      "{}: {} sequences a step on {} replicas, {}, {} steps{}\ncost of a segment of l tokens: {:g} l + {:g} l^2; means "
      "over the "
      "steps\n\n",
      comparison.title, with_thousands(comparison.sequences), with_thousands(request.replicas),
      request.cap == 0 ? std::string("no micro-batches")
                       : fmt::format("{} tokens a micro-batch", with_thousands(request.cap)),
      comparison.steps.size(), objective_text(request), request.cost.linear, request.cost.quadratic);
  const auto columns = columns_of(comparison);
  std::vector<std::string> lines(comparison.methods.size() + 1);
  for (const Column& column : columns) {
    std::size_t width = column.head.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    const bool first = &column == &columns.front();
    const auto append = [&](std::string& line, const std::string& cell) {
      line += first ? fmt::format("{:<{}}", cell, width) : fmt::format("  {:>{}}", cell, width);
    };
    append(lines[0], column.head);
    for (std::size_t k = 0; k < column.cells.size(); ++k) append(lines[k + 1], column.cells[k]);
  }
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string plan_json(const Comparison& comparison) {
  nlohmann::ordered_json object;
  object["sequences"] = comparison.sequences;
  object["replicas"] = comparison.request.replicas;
  object["cap"] = comparison.request.cap;
  object["steps"] = comparison.steps.size();
  object["methods"] = nlohmann::ordered_json::array();
  for (const ComparedMethod& method : comparison.methods) {
    const plan::Measures& mean = method.mean;
    object["methods"].push_back({{"name", method.name},
                                 {"replica_max_over_mean", mean.replica_max_over_mean},
                                 {"replica_bound_max_over_mean", mean.replica_bound_max_over_mean},
                                 {"makespan_over_bound", mean.makespan_over_bound},
                                 {"slowest_over_bound", mean.slowest_over_bound},
                                 {"micro_batches", mean.micro_batches},
                                 {"micro_batches_bound", mean.micro_batches_bound},
                                 {"padding_share", mean.padding_share},
                                 {"dist_ratio_vision", mean.ratios.vision},
                                 {"dist_ratio_vision_bound", mean.ratio_bounds.vision},
                                 {"dist_ratio_language", mean.ratios.language},
                                 {"dist_ratio_language_bound", mean.ratio_bounds.language},
                                 {"pad_ratio_vision", mean.ratios.vision_pad},
                                 {"pad_ratio_language", mean.ratios.language_pad},
                                 {"dropped", mean.dropped},
                                 {"plan_ms", method.plan_ms}});
  }
  return object.dump(2) + "\n";
}

}  // namespace stowage::cli
