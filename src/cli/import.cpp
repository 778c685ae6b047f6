// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/progress_bar.hpp"
#include "importer/import.hpp"

namespace stowage::cli {

namespace {

struct Arguments {
  importer::ImportOptions options;
  std::string format = "auto";
  std::string input_format = "auto";
  std::string dtype = "auto";
};

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [text](std::string_view ending) { return text.ends_with(ending); });
}

importer::ImportOptions resolve(const Arguments& arguments) {
  importer::ImportOptions options = arguments.options;
  const bool hdf5 =
      arguments.format == "auto" ? ends_with_any(options.output, {".h5", ".hdf5"}) : arguments.format == "hdf5";
  options.format = hdf5 ? config::Format::hdf5 : config::Format::megatron;
  if (arguments.input_format == "jsonl") options.kind = importer::InputKind::jsonl;
  if (arguments.input_format == "text") options.kind = importer::InputKind::text;
  if (arguments.dtype == "u16") options.type = source::TokenType::u16;
  if (arguments.dtype == "i32") options.type = source::TokenType::i32;
  if (arguments.dtype == "i64") options.type = source::TokenType::i64;
  return options;
}

void run(const Arguments& arguments) {
  const importer::ImportOptions options = resolve(arguments);
  const auto start = std::chrono::steady_clock::now();
  importer::ImportSummary summary;
  {
    ProgressBar bar("import");
    summary = importer::run_import(options, [&](const importer::ImportSummary& so_far) {
      bar.update(so_far.input_bytes, so_far.input_bytes_in_all,
                 fmt::format("{} of {}, {} documents", human_bytes(so_far.input_bytes),
                             human_bytes(so_far.input_bytes_in_all), with_thousands(so_far.documents)));
    });
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(stderr, "imported {} documents, {} tokens from {} files, {} bytes in {:.2f} s to {}",
             with_thousands(summary.documents), with_thousands(summary.tokens), with_thousands(summary.files),
             with_thousands(summary.input_bytes), seconds.count(), options.output);
  if (summary.empty > 0) {
    fmt::print(stderr, "; {} documents without text {}", with_thousands(summary.empty),
               options.encode.skip_empty ? "skipped" : "kept");
  }
  if (summary.bad > 0) fmt::print(stderr, "; {} bad lines skipped", with_thousands(summary.bad));
  fmt::print(stderr, "\n");
}

}  // namespace

void add_import(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  importer::ImportOptions& options = arguments->options;
  options.threads = std::max(1U, std::thread::hardware_concurrency());

  CLI::App* command = app.add_subcommand("import", "Make a Megatron pair or an HDF5 shard from JSONL or text files");
  command->add_option("input", options.inputs, "JSONL files, text files, and folders of them (searched recursively)")
      ->required();
  command->add_option("-o,--output", options.output, "Prefix of the Megatron pair, or name of the HDF5 file")
      ->required();
  command->add_option("--format", arguments->format, "Of the output; auto: hdf5 for names ending in .h5 or .hdf5")
      ->check(CLI::IsMember({"auto", "megatron", "hdf5"}))
      ->capture_default_str();
  command
      ->add_option("--input-format", arguments->input_format,
                   "auto: jsonl for names ending in .jsonl or .ndjson, else text (a file is a document)")
      ->check(CLI::IsMember({"auto", "jsonl", "text"}))
      ->capture_default_str();
  command->add_option("--glob", options.globs, "Which files of a folder, by name; may be given again")
      ->capture_default_str()
      ->allow_extra_args(false);
  command->add_option("--text-key", options.encode.text_key, "Key of the text in a JSON line")->capture_default_str();
  command->add_option("--dtype", arguments->dtype, "Token type; auto: u16 for a vocabulary below 65,500, else i32")
      ->check(CLI::IsMember({"auto", "u16", "i32", "i64"}))
      ->capture_default_str();
  command->add_option("--threads", options.threads, "Threads that tokenize; the output is the same for any number")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  command->add_flag("--append-eod", options.encode.append_eod, "End every document with token 256");
  command->add_flag("--skip-empty", options.encode.skip_empty,
                    "Leave out documents without text (default: sequences of length 0)");
  command->add_flag("--skip-bad", options.encode.skip_bad, "Leave out and count bad JSON lines (default: an error)");
  command->add_flag("--force", options.force, "Replace existing output");
  command->footer(
      "Tokens are bytes (vocabulary 257). A summary line goes to standard error, with a progress bar before it on a "
      "terminal.");
  command->callback([arguments, &exit_code] {
    run(*arguments);
    exit_code = STOWAGE_OK;
  });
}

}  // namespace stowage::cli
