// SPDX-License-Identifier: Apache-2.0
// `stowage report`: joins what loaders and trainers wrote (--summary) into one summary, for people and as JSON.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/summary.hpp"

namespace stowage::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string loaders;
  std::string trainers;
  std::string out;
};

Json joined(const Json& loaders, const Json& trainers) {
  const double seconds = trainers.at("seconds").get<double>();
  Json summary = loaders;
  summary["seconds"] = seconds;
  summary["tokens_per_s"] = seconds > 0 ? loaders.at("tokens").get<double>() / seconds : 0.0;
  for (const char* key : {"wait_first_s", "wait_mean_s", "wait_max_s", "wait_share"}) summary[key] = trainers.at(key);
  // The sources, a long list, last.
  const Json sources = summary.at("sources");
  summary.erase("sources");
  summary["sources"] = sources;
  return summary;
}

std::string count(const Json& summary, const char* key) {
  return with_thousands(summary.at(key).get<std::uint64_t>());
}
std::string bytes(const Json& summary, const char* key) {
  return human_bytes(summary.at(key).get<std::uint64_t>());
}

void print(const Json& summary) {
  const auto number = [&](const char* key) { return summary.at(key).get<double>(); };
  fmt::print("steps            {} ({} committed), {} trainers beside {} loaders\n", count(summary, "steps"),
             count(summary, "committed_steps"), count(summary, "trainers"), count(summary, "loaders"));
  fmt::print("sequences        {}\n", count(summary, "sequences"));
  fmt::print("tokens           {}, {} tokens/s\n", count(summary, "tokens"),
             with_thousands(static_cast<std::uint64_t>(number("tokens_per_s"))));
  fmt::print("wait for data    first step {:.0f} ms, then mean {:.2f} ms, max {:.2f} ms, {:.2f} % of a step\n",
             number("wait_first_s") * 1e3, number("wait_mean_s") * 1e3, number("wait_max_s") * 1e3,
             number("wait_share") * 1e2);
  fmt::print("max/mean cost    {:.3f} as drawn, {:.3f} as planned\n", number("max_over_mean_drawn"),
             number("max_over_mean_planned"));
  fmt::print("padding          {:.2f} % of {} micro-batches' tokens\n", number("padding_share") * 1e2,
             count(summary, "micro_batches"));
  fmt::print("bytes            {} read in {} reads, {} exchanged, {} delivered\n", bytes(summary, "bytes_read"),
             count(summary, "reads"), bytes(summary, "bytes_exchanged"), bytes(summary, "bytes_delivered"));
  if (summary.at("bytes_cached") != 0) {
    fmt::print("cache            {} of the bytes read\n", bytes(summary, "bytes_cached"));
  }
  fmt::print("delivered        {} in shared memory, {} in messages; {} if every trainer had its own copy\n",
             bytes(summary, "bytes_shared"), bytes(summary, "bytes_sent"), bytes(summary, "bytes_if_copied"));
  fmt::print("\n{:<20} {:>10} {:>12} {:>8} {:>8} {:>10} {:>8} {:>8}\n", "source", "drawn", "tokens", "asked", "drawn",
             "of tokens", "dropped", "split");
  for (const Json& source : summary.at("sources")) {
    const std::uint64_t dropped = source.at("dropped_over_long").get<std::uint64_t>() +
                                  source.at("dropped_zero_length").get<std::uint64_t>() +
                                  source.at("dropped_last_batch").get<std::uint64_t>();
    fmt::print("{:<20} {:>10} {:>12} {:>7.2f}% {:>7.2f}% {:>9.2f}% {:>8} {:>8}\n", source.at("name").get<std::string>(),
               count(source, "drawn"), count(source, "tokens"), source.at("share_asked").get<double>() * 1e2,
               source.at("share_drawn").get<double>() * 1e2, source.at("share_of_tokens").get<double>() * 1e2,
               with_thousands(dropped), count(source, "split"));
  }
}

int run(const Options& options) {
  Json summary;
  try {
    summary = joined(read_json(options.loaders), read_json(options.trainers));
  } catch (const nlohmann::json::exception& error) {
    fail(STOWAGE_DATA_ERROR, "{} or {} was not written by this version of stowage: {}", options.loaders,
         options.trainers, error.what());
  }
  if (!options.out.empty()) write_json(options.out, summary);
  print(summary);
  return STOWAGE_OK;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Join the summaries of loaders and trainers into one");
  command->add_option("--loaders", options->loaders, "written by stowage serve --summary")->required();
  command->add_option("--trainers", options->trainers, "written by stowage trainer --summary")->required();
  command->add_option("--out", options->out, "write the joined summary as JSON to this file");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
