// SPDX-License-Identifier: Apache-2.0
// `stowage check CONFIG`: everything that is wrong with a configuration and its data, and what the run would do.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "cli/check_data.hpp"
#include "cli/commands.hpp"
#include "cli/forecast_report.hpp"
#include "config/parse.hpp"

namespace stowage::cli {
namespace {

constexpr std::uint64_t kMaxDraws = 4'000'000;  // a second or two of work

using Problems = std::vector<loader::Catalogue::Problem>;

struct Options {
  std::string config;
  bool data = false;
};

// A configuration with problems of the text, made fit for opening its sources.
config::Config openable(config::Config config) {
  std::erase_if(config.sources, [](const config::Source& source) { return source.paths.empty(); });
  if (config.micro_batch.tokens < config.micro_batch.pad_segments_to) {
    config.micro_batch = {};
    config.micro_batch.tokens = std::numeric_limits<std::int32_t>::max();
  }
  config.batch.mark = std::max(config.batch.mark, config::Mark{1, 1});
  return config;
}

loader::Catalogue open_all(const config::Config& config, bool reads_data, Problems& problems) {
  const auto team = exchange::make_solo_team();
  loader::Catalogue catalogue = loader::Catalogue::open(config, *team, problems);
  if (reads_data) check_data(config, catalogue, problems);
  return catalogue;
}

// Prints the problems on standard error; the status of the first is the program's.
int refuse(const std::string& file, const Problems& problems) {
  std::vector<config::Problem> texts;
  for (const auto& problem : problems) texts.push_back(problem.text);
  fmt::print(stderr, "{}\n", config::describe(file, texts));
  return problems.front().status;
}

int run(const Options& options) {
  const config::Parsed parsed = config::parse(config::read_text(options.config), options.config);
  Problems problems;
  for (const config::Problem& problem : parsed.problems) problems.push_back({problem, STOWAGE_CONFIG_ERROR});
  if (!problems.empty()) {
    const config::Config config = openable(parsed.config);
    if (parsed.complete && !config.sources.empty()) open_all(config, options.data, problems);
    return refuse(options.config, problems);
  }

  const loader::Catalogue catalogue = open_all(parsed.config, options.data, problems);
  if (!problems.empty()) return refuse(options.config, problems);
  fmt::print("{}", report(parsed.config, catalogue, forecast(parsed.config, catalogue, kMaxDraws)));
  return STOWAGE_OK;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("check", "Report every problem of a configuration and its data, and what the run would do");
  command->add_option("config", options->config, "the YAML file that describes the run")->required();
  command->add_flag("--data", options->data, "read all tokens too: checksums, and ids against vocab_size");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
