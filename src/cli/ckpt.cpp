// SPDX-License-Identifier: Apache-2.0
// `stowage ckpt list | show | verify | compact DIR`: what is in a folder of checkpoints.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "checkpoint/chains.hpp"
#include "checkpoint/compact.hpp"
#include "cli/ckpt_report.hpp"
#include "cli/commands.hpp"

namespace stowage::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string folder;
  bool json = false;
  std::optional<std::uint64_t> step;
};

void print(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

[[noreturn]] void fail_empty(const std::string& folder) {
  fail(STOWAGE_IO_ERROR, "{}: expected checkpoints, found none", folder);
}

// Every generation, read and checked. Their problems are those of Chains.
std::vector<CheckpointEntry> look_at_all(const std::string& folder) {
  checkpoint::Chains chains(folder);
  if (chains.generations().empty()) fail_empty(folder);
  std::vector<CheckpointEntry> entries;
  for (const checkpoint::Generation& generation : chains.generations()) {
    CheckpointEntry entry;
    entry.generation = generation;
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(generation.path, unknown);
    if (!unknown) entry.bytes = bytes;
    try {
      chains.load(generation);
    } catch (const Error& error) {
      entry.problem = error.what();
    }
    entry.parent = chains.parent_of(generation);
    entries.push_back(entry);
  }
  return entries;
}

int list(const Options& options) {
  const std::vector<CheckpointEntry> entries = look_at_all(options.folder);
  if (options.json) {
    print(to_json(entries));
  } else {
    fmt::print("{}", to_text(entries));
  }
  return STOWAGE_OK;
}

int show(const Options& options) {
  checkpoint::Wanted wanted;
  if (options.step) wanted = {checkpoint::Wanted::Which::exactly, *options.step};
  const auto loaded = checkpoint::load(options.folder, wanted);
  if (!loaded) fail_empty(options.folder);
  if (options.json) {
    print(to_json(*loaded));
  } else {
    fmt::print("{}", to_text(*loaded));
  }
  return STOWAGE_OK;
}

int verify(const Options& options) {
  const std::vector<CheckpointEntry> entries = look_at_all(options.folder);
  std::size_t bad = 0;
  for (const CheckpointEntry& entry : entries) {
    if (entry.problem.empty()) continue;
    ++bad;
    fmt::print(stderr, "stowage: {}\n", entry.problem);
  }
  if (options.json) {
    print(to_json(entries));
  } else {
    fmt::print("{} generations, {} not valid\n", entries.size(), bad);
  }
  return bad == 0 ? STOWAGE_OK : STOWAGE_DATA_ERROR;
}

int compact(const Options& options) {
  const checkpoint::Compacted done = checkpoint::compact(options.folder);
  fmt::print("{} {}: step {}; {} other files removed\n", done.written ? "wrote" : "kept", done.base.path,
             done.base.step, done.removed.size());
  return STOWAGE_OK;
}

}  // namespace

void add_ckpt(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("ckpt", "Look at checkpoints: list, show, verify, compact");
  group->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, int (*run)(const Options&)) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = group->add_subcommand(name, what);
    command->add_option("dir", options->folder, "the folder of checkpoints")->required();
    command->callback([options, run, &exit_code] { exit_code = run(*options); });
    return std::pair(command, options);
  };
  const auto add_json = [](const auto& added) {
    added.first->add_flag("--json", added.second->json, "Print JSON");
    return added;
  };
  add_json(add("list", "List the generations: step, kind, size, what each builds on, whether it is valid", list));
  const auto shown = add_json(add("show", "Show the newest valid checkpoint, or that of a step", show));
  shown.first->add_option("--step", shown.second->step, "the step that it belongs to");
  add_json(add("verify", "Check every file; the exit code is not 0 if one is not valid", verify));
  add("compact", "Write the newest valid checkpoint as one base file and remove all others; not while a job runs",
      compact);
}

}  // namespace stowage::cli
