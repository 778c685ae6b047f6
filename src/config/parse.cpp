// SPDX-License-Identifier: Apache-2.0
#include "config/parse.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "config/scalar.hpp"
#include "config/schema.hpp"
#include "config/tree.hpp"

namespace stowage::config {
namespace {

constexpr Mark kStart{1, 1};

void read_root(const Node* root, Report& report, Config& config) {
  if (root == nullptr || root->kind == Node::Kind::null) {
    if (report.complete)
      report.add(kStart,
                 "the configuration is empty: it needs at least batch, micro_batch, sources and steps or epochs");
    return;
  }
  if (root->kind != Node::Kind::map) {
    report.add(root->mark, "the configuration must be a mapping, got {}", shown(*root));
    return;
  }
  Section top(report, *root);
  read_run(top, config);
  read_batches(top, config);
  read_sources(top, config);
  top.finish();
}

}  // namespace

Parsed parse(std::string_view yaml, const std::string& file) {
  Parsed parsed;
  parsed.config.file = file;
  Report report;
  const auto root = read_tree(yaml, report);
  read_root(root.get(), report, parsed.config);
  std::stable_sort(report.problems.begin(), report.problems.end(),
                   [](const Problem& a, const Problem& b) { return a.mark < b.mark; });
  parsed.problems = std::move(report.problems);
  parsed.complete = report.complete;
  return parsed;
}

std::string describe(const std::string& file, const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}:{}:{}: {}", file, problem.mark.line, problem.mark.column, problem.message);
  }
  return text;
}

Config parse_or_throw(std::string_view yaml, const std::string& file) {
  Parsed parsed = parse(yaml, file);
  if (!parsed.problems.empty()) throw Error(STOWAGE_CONFIG_ERROR, describe(file, parsed.problems));
  return std::move(parsed.config);
}

}  // namespace stowage::config
