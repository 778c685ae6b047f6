// SPDX-License-Identifier: Apache-2.0
// `stowage plan`: assignment methods side by side, on a table of lengths or on a configured data set.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "cli/commands.hpp"
#include "cli/length_table.hpp"
#include "cli/plan_comparison.hpp"
#include "cli/plan_page.hpp"
#include "cli/plan_report.hpp"
#include "loader/catalogue.hpp"
#include "loader/shared_config.hpp"
#include "loader/step_stream.hpp"
#include "plan/cost_table.hpp"
#include "plan/presets.hpp"

namespace stowage::cli {
namespace {

struct Options {
  std::string config;
  std::string lengths;
  std::uint32_t replicas = 0;
  std::uint64_t sequences = 0;
  std::uint32_t cap = 0;
  std::uint32_t tile_cap = 0;
  std::uint64_t steps = 10;
  std::uint64_t seed = 0;
  std::vector<std::string> methods = {"all"};
  std::uint32_t pipeline = 1;
  bool one_f_one_b = false;
  bool small_ends = false;
  bool free_counts = false;
  std::vector<double> cost;
  std::string preset;
  std::string cost_table;
  bool json = false;
  std::string html;
};

std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(STOWAGE_IO_ERROR, "cannot read {}: {}", file, std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

plan::CostModel cost_model(const Options& options) {
  if (!options.preset.empty()) return plan::preset_cost(options.preset);
  if (!options.cost_table.empty()) {
    return plan::fit_cost(plan::parse_cost_table(read_file(options.cost_table), options.cost_table));
  }
  plan::CostModel cost;
  if (!options.cost.empty()) {
    cost.linear = options.cost[0];
    cost.quadratic = options.cost[1];
  }
  return cost;
}

plan::Request plain_request(const Options& options) {
  plan::Request request;
  request.replicas = options.replicas;
  request.cap = options.cap;
  request.tile_cap = options.tile_cap;
  request.equal_counts = !options.free_counts;
  request.pipeline_stages = options.pipeline;
  if (options.pipeline > 1)
    request.objective = options.one_f_one_b ? plan::Objective::one_f_one_b : plan::Objective::pipeline;
  if (options.small_ends) request.micro_batch_order = plan::MicroBatchOrder::small_ends;
  request.cost = cost_model(options);
  return request;
}

Comparison from_table(const Options& options) {
  if (options.replicas == 0 || options.sequences == 0) {
    fail(STOWAGE_INVALID_ARGUMENT, "--lengths needs --replicas and --sequences, both at least 1");
  }
  Comparison comparison;
  comparison.title = options.lengths.substr(options.lengths.rfind('/') + 1);
  comparison.sequences = options.sequences;
  comparison.request = plain_request(options);
  comparison.steps =
      draw_steps(read_length_table(options.lengths), options.sequences, options.steps, options.cap, options.seed);
  return comparison;
}

// The steps that a run of the configuration would plan, cut by its policies.
Comparison from_config(const Options& options) {
  const auto team = exchange::make_solo_team();
  const config::Config config = loader::share_config(options.config, *team);
  const loader::Catalogue catalogue = loader::Catalogue::open_or_throw(config, *team);
  Comparison comparison;
  comparison.title = options.config;
  comparison.sequences = config.batch.sequences;
  Options settings = options;
  if (settings.replicas == 0) settings.replicas = config.data_parallel;
  if (settings.cap == 0) settings.cap = config.micro_batch.tokens;
  if (settings.cost.empty()) settings.cost = {config.cost.linear, config.cost.quadratic};
  settings.free_counts = options.free_counts || !config.micro_batch.equal_counts;
  comparison.request = plain_request(settings);
  comparison.request.pad_segments_to = config.micro_batch.pad_segments_to;
  loader::StepStream stream(config, catalogue, *team, loader::beginning(config, catalogue));
  while (comparison.steps.size() < options.steps) {
    const auto batch = stream.next();
    if (!batch) break;
    StepLengths step;
    for (const loader::Segment& segment : batch->segments) step.tokens.push_back(segment.piece.tokens);
    if (comparison.sequences == 0) comparison.sequences = batch->sequences;
    comparison.steps.push_back(std::move(step));
  }
  if (comparison.steps.empty()) fail(STOWAGE_CONFIG_ERROR, "{} describes a run without steps", options.config);
  return comparison;
}

std::vector<const plan::Method*> chosen_methods(const Options& options) {
  std::vector<const plan::Method*> chosen;
  for (const std::string& name : options.methods) {
    if (name != "all") {
      chosen.push_back(&plan::method(name));
      continue;
    }
    for (const plan::Method& method : plan::methods()) chosen.push_back(&method);
  }
  return chosen;
}

void write_page(const std::string& file, const std::string& page) {
  std::ofstream out(file, std::ios::binary);
  out << page;
  out.close();
  if (!out) fail(STOWAGE_IO_ERROR, "cannot write {}: {}", file, std::strerror(errno));
}

int run(const Options& options) {
  if (options.config.empty() == options.lengths.empty()) {
    fail(STOWAGE_INVALID_ARGUMENT, "give either a configuration or --lengths FILE.csv:COLUMN[,COLUMN...]");
  }
  if (options.steps == 0) fail(STOWAGE_INVALID_ARGUMENT, "--steps must be at least 1");
  const auto methods = chosen_methods(options);
  Comparison comparison = options.lengths.empty() ? from_config(options) : from_table(options);
  compare(comparison, methods);
  fmt::print("{}", options.json ? plan_json(comparison) : plan_table(comparison));
  std::fflush(stdout);
  if (!options.html.empty()) write_page(options.html, plan_page(comparison));
  return STOWAGE_OK;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "Compare assignment methods on a table of lengths or a configured data set");
  command->add_option("config", options->config, "the YAML file that describes a run");
  command->add_option(
      "--lengths", options->lengths,
      "FILE.csv:COLUMN[,COLUMN...]: tokens are the sum of the columns; the column vision_tiles counts tiles");
  command->add_option("--replicas", options->replicas, "model copies that share a step");
  command->add_option("--sequences", options->sequences, "sequences a step");
  command->add_option("--cap", options->cap,
                      "tokens a micro-batch holds; longer sequences are split; without: stage one alone");
  command->add_option("--tile-cap", options->tile_cap, "vision tiles a micro-batch holds");
  command->add_option("--steps", options->steps, "steps to plan (default 10)");
  command->add_option("--seed", options->seed, "of the order in which rows are drawn (default 0)");
  std::string names = "all";
  for (const plan::Method& method : plan::methods()) names += fmt::format(", {}", method.name);
  command
      ->add_option("--method", options->methods,
                   fmt::format("methods to run, separated by commas: {} (default all)", names))
      ->delimiter(',');
  command->add_option("--pipeline", options->pipeline,
                      "pipeline stages; the objective is (micro-batches + stages - 1) x slowest");
  command->add_flag("--1f1b", options->one_f_one_b, "with --pipeline: the objective is the simulated 1F1B schedule");
  command->add_flag("--small-ends", options->small_ends,
                    "small micro-batches at both ends of a step instead of drawn order");
  command->add_flag("--free-counts", options->free_counts, "replicas may have different numbers of micro-batches");
  command
      ->add_option("--cost", options->cost,
                   "LINEAR,QUADRATIC: cost of a segment of l tokens is LINEAR l + QUADRATIC l^2")
      ->delimiter(',')
      ->expected(2);
  command
      ->add_option("--preset", options->preset, "cost by a model's shape instead, for example llama3-8b+internvit-6b")
      ->excludes("--cost");
  command
      ->add_option("--cost-table", options->cost_table,
                   "cost fitted to measured times instead: a CSV file with columns tokens, seconds")
      ->excludes("--cost")
      ->excludes("--preset");
  command->add_flag("--json", options->json, "print JSON instead of a table");
  command->add_option("--html", options->html, "also draw load per replica into this HTML file");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
