// SPDX-License-Identifier: Apache-2.0
// The frame of a bench program: MPI, options, errors.
#pragma once

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "base/error.hpp"

namespace stowage::bench {

// Parses the command line and runs `work` between MPI_Init and MPI_Finalize. Returns the exit code. An error on one
// rank ends all ranks: a bench has nothing to save.
inline int run(CLI::App& app, int argc, char** argv, const std::function<void()>& work) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    app.parse(argc, argv);
    work();
  } catch (const CLI::ParseError& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    code = rank == 0 ? app.exit(error) : error.get_exit_code();
  } catch (...) {
    const auto [status, message] = current_exception_status();
    std::fprintf(stderr, "error: %s\n", message.c_str());
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return code;
}

}  // namespace stowage::bench
