// SPDX-License-Identifier: Apache-2.0
// `stowage inspect`: what is in a Megatron pair or an HDF5 shard.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/inspection.hpp"
#include "cli/terminal.hpp"

namespace stowage::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> paths;
  bool json = false;
  bool verify = false;
  bool ascii = false;
};

// Looks at every path, also after one that is bad; the exit code is the status of the first bad one.
int run(const Options& options) {
  const bool ascii = options.ascii || !locale_is_utf8();
  int exit_code = STOWAGE_OK;
  Json all = Json::array();
  bool first = true;
  for (const std::string& path : options.paths) {
    try {
      const Inspection inspection = inspect(path, options.verify);
      if (options.json) {
        all.push_back(to_json(inspection));
      } else {
        fmt::print("{}{}", first ? "" : "\n", to_text(inspection, output_columns(), ascii));
      }
      first = false;
    } catch (const Error& error) {
      std::fflush(stdout);
      fmt::print(stderr, "stowage: {}\n", error.what());
      if (options.json) {
        all.push_back({{"path", path}, {"error", error.what()}, {"status", static_cast<int>(error.status())}});
      }
      if (exit_code == STOWAGE_OK) exit_code = error.status();
    }
  }
  if (options.json) fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
  return exit_code;
}

}  // namespace

void add_inspect(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Show what is in Megatron pairs and HDF5 shards");
  command->add_option("path", options->paths, "HDF5 files, and prefixes or files of Megatron pairs")->required();
  command->add_flag("--json", options->json, "Print a JSON array, an object a path");
  command->add_flag("--verify", options->verify, "Read everything: check block checksums and token ids");
  command->add_flag("--ascii", options->ascii, "Draw with ASCII only (default where the locale is not UTF-8)");
  command->footer("The exit code is 0 if every path is sound, else the status of the first that is not.");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace stowage::cli
