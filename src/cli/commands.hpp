// SPDX-License-Identifier: Apache-2.0
// One function a subcommand, each in the file of its name. It adds the subcommand with its options to `app`; when the
// subcommand is given, its callback runs the work and leaves the program's exit code (a stowage_status) in `exit_code`.
// A callback may throw stowage::Error: main() prints the message once and exits with the status.
#pragma once

#include <CLI/CLI.hpp>

namespace stowage::cli {

void add_check(CLI::App& app, int& exit_code);
void add_ckpt(CLI::App& app, int& exit_code);
void add_digest(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_trainer(CLI::App& app, int& exit_code);

}  // namespace stowage::cli
