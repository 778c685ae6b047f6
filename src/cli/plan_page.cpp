// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/plan_report.hpp"

namespace stowage::cli {
namespace {

constexpr double kWidth = 640.0;
constexpr double kHeight = 150.0;
constexpr double kMargin = 40.0;          // right of the bars, for the label of the mean
constexpr std::size_t kStackedBars = 64;  // replicas up to which a bar shows its micro-batches

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6777; --paper: #fbfbfd; --card: #ffffff; --line: #dfe4ea;
        --bar: #3b7ddd; --bar2: #6ba0ea; --peak: #d9534f; --mean: #1c2430; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --soft: #9aa7b8; --paper: #14181e; --card: #1b2129; --line: #2d3641;
          --bar: #4d8ff0; --bar2: #2f64b5; --peak: #ef6b67; --mean: #e6eaf0; } }
body { margin: 2rem auto; max-width: 1360px; padding: 0 1.5rem; background: var(--paper); color: var(--ink);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } p { color: var(--soft); margin: .3rem 0 1.4rem; max-width: 60rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(520px, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1rem; }
figcaption { display: flex; justify-content: space-between; font-weight: 600; margin-bottom: .4rem; }
figcaption span { font-weight: 400; color: var(--soft); }
svg { width: 100%; height: auto; display: block; }
.bar { fill: var(--bar); } .bar.odd { fill: var(--bar2); } .peak { fill: var(--peak); } .peak.odd { opacity: .75; }
.mean { stroke: var(--mean); stroke-width: 1; stroke-dasharray: 4 3; } .axis { stroke: var(--line); }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem;
      font: 12.5px/1.5 ui-monospace, monospace; }
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

double cost_of(const plan::Request& request, const plan::Plan& plan, std::uint32_t micro_batch) {
  double cost = 0.0;
  for (const std::uint32_t i : plan.sequences(micro_batch)) {
    cost += request.cost(request.tokens[i], request.vision_tiles.empty() ? 0 : request.vision_tiles[i]);
  }
  return cost;
}

// One bar a replica, stacked by micro-batch where there is room for it.
std::string bars(const plan::Request& request, const plan::Plan& plan, double scale) {
  std::string svg;
  const double pitch = kWidth / plan.replicas();
  const double width = std::max(pitch * (pitch > 4.0 ? 0.82 : 1.0), 0.4);
  const double peak = *std::max_element(plan.replica_cost.begin(), plan.replica_cost.end());
  for (std::uint32_t r = 0; r < plan.replicas(); ++r) {
    const char* kind = plan.replica_cost[r] == peak ? "peak" : "bar";
    const double x = r * pitch;
    double y = kHeight;
    const auto rect = [&](double cost, bool odd) {
      const double height = cost * scale;
      y -= height;
      fmt::format_to(std::back_inserter(svg),
                     R"(<rect class="{}{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"/>)", kind,
                     odd ? " odd" : "", x, y, width, height);
    };
    svg += fmt::format("<g><title>replica {}: {:.4g}</title>", r, plan.replica_cost[r]);
    if (plan.replicas() > kStackedBars) {
      rect(plan.replica_cost[r], false);
    } else {
      for (std::uint32_t m = plan.replica_begin[r]; m < plan.replica_begin[r + 1]; ++m) {
        rect(cost_of(request, plan, m), (m - plan.replica_begin[r]) % 2 == 1);
      }
    }
    svg += "</g>\n";
  }
  return svg;
}

std::string panel(const plan::Request& request, const ComparedMethod& method, double scale) {
  const plan::Plan& plan = method.first_plan;
  double sum = 0.0;
  for (const double cost : plan.replica_cost) sum += cost;
  const double mean_y = kHeight - sum / plan.replicas() * scale;
  return fmt::format(
      "<figure><figcaption>{}<span>max/mean {:.4f} in this step</span></figcaption>\n"
      R"(<svg viewBox="0 -4 {:.0f} {:.0f}" role="img" aria-label="load per replica, {}">)"
      "\n{}"
      R"(<line class="axis" x1="0" x2="{:.0f}" y1="{:.1f}" y2="{:.1f}"/>)"
      R"(<line class="mean" x1="0" x2="{:.0f}" y1="{:.2f}" y2="{:.2f}"/>)"
      R"(<text x="{:.0f}" y="{:.2f}">mean</text><text x="0" y="{:.0f}">replica 0</text>)"
      R"(<text x="{:.0f}" y="{:.0f}" text-anchor="end">{}</text></svg></figure>)"
      "\n",
      escaped(method.name), plan::max_over_mean(plan.replica_cost), kWidth + kMargin, kHeight + 22.0,
      escaped(method.name), bars(request, plan, scale), kWidth, kHeight, kHeight, kWidth, mean_y, mean_y, kWidth + 4.0,
      mean_y + 4.0, kHeight + 13.0, kWidth, kHeight + 13.0, plan.replicas() - 1);
}

}  // namespace

std::string plan_page(const Comparison& comparison) {
  const plan::Request request = step_request(comparison.request, comparison.steps.front());
  double most = 0.0;
  for (const ComparedMethod& method : comparison.methods) {
    for (const double cost : method.first_plan.replica_cost) most = std::max(most, cost);
  }
  const double scale = most > 0.0 ? kHeight / most : 0.0;
  std::string panels;
  for (const ComparedMethod& method : comparison.methods) panels += panel(request, method, scale);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Load per "
      "replica</title>\n<style>{}</style></head>\n"
      "<body><h1>Load per replica: {}</h1>\n<p>Cost that each of {} replicas has to compute in the first step of {} "
      "sequences, all "
      "panels on one scale; shades tell micro-batches apart, red is the replica that all others wait for. Costs are "
      "{:g} l + "
      "{:g} l<sup>2</sup> for a segment of l tokens.</p>\n<div class=\"panels\">\n{}</div>\n<h2>All "
      "steps</h2>\n<pre>{}</pre>\n"
      "</body></html>\n",
      kStyle, escaped(comparison.title), with_thousands(request.replicas), with_thousands(comparison.sequences),
      request.cost.linear, request.cost.quadratic, panels, escaped(plan_table(comparison)));
}

}  // namespace stowage::cli
