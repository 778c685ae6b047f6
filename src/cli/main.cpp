// SPDX-License-Identifier: Apache-2.0
// The stowage command: one program, a subcommand for each job.
#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "h5/handle.hpp"
#include "stowage.h"

int main(int argc, char** argv) {
  stowage::h5::silence();
  CLI::App app{"stowage: a collective data loader for training on many nodes"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("stowage {}.{}.{}", STOWAGE_VERSION_MAJOR, STOWAGE_VERSION_MINOR,
                                                STOWAGE_VERSION_PATCH));
  int exit_code = STOWAGE_OK;
  stowage::cli::add_check(app, exit_code);
  stowage::cli::add_ckpt(app, exit_code);
  stowage::cli::add_import(app, exit_code);
  stowage::cli::add_inspect(app, exit_code);
  stowage::cli::add_serve(app, exit_code);
  stowage::cli::add_trainer(app, exit_code);
  stowage::cli::add_digest(app, exit_code);
  stowage::cli::add_report(app, exit_code);
  stowage::cli::add_plan(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? STOWAGE_OK : STOWAGE_INVALID_ARGUMENT;
  } catch (const std::exception&) {
    const auto [status, message] = stowage::current_exception_status();
    std::fprintf(stderr, "stowage: %s\n", message.c_str());
    return status;
  }
  return exit_code;
}
