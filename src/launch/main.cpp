// SPDX-License-Identifier: Apache-2.0
// stowage-run: starts a job whose trainers outlive their loaders, and returns what became of it. docs/launching.md.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "launch/job.hpp"
#include "launch/rank.hpp"

namespace {

using namespace stowage;

constexpr const char* kUsage =
    "usage: stowage-run [--launcher mpirun|prterun|srun|PATH] [--results FOLDER] [--grace SECONDS] LAUNCHER-WORDS...\n"
    "\n"
    "Starts a job by mpirun (default) or srun so that trainers outlive the death of loaders, and ends with the job's "
    "true\n"
    "status. All other words are the launcher's, as in\n"
    "  stowage-run -n 4 TRAINER : -n 2 stowage serve run.yaml\n"
    "  stowage-run --launcher srun -n 6 --multi-prog ranks.conf\n"
    "\n"
    "  --results FOLDER  where ranks write down how they ended: a folder that all nodes see (default: the working "
    "one);\n"
    "                    a folder of the run's own is made there and removed\n"
    "  --grace SECONDS   what loaders get once all trainers have ended, and the launcher after SIGTERM (default 30)\n";

// Hidden: what the launcher runs for every rank, followed by the folder of results and the rank's program.
constexpr std::string_view kRank = "--rank";

struct Options {
  std::string launcher = "mpirun";
  std::filesystem::path results = ".";
  launch::JobOptions job;
};

Options parse(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at + 1 < argc; at += 2) {
    const std::string_view word = argv[at];
    if (word == "--launcher") {
      options.launcher = argv[at + 1];
    } else if (word == "--results") {
      options.results = argv[at + 1];
    } else if (word == "--grace") {
      char* end = nullptr;
      options.job.grace_seconds = std::strtod(argv[at + 1], &end);
      if (*end != '\0' || !(options.job.grace_seconds > 0)) {
        fail(STOWAGE_INVALID_ARGUMENT, "--grace: expected seconds above 0, found '{}'", argv[at + 1]);
      }
    } else {
      break;
    }
  }
  options.job.words.assign(argv + at, argv + argc);
  if (options.job.words.empty()) fail(STOWAGE_INVALID_ARGUMENT, "no words for {}\n{}", options.launcher, kUsage);
  return options;
}

int run(int argc, char** argv) {
  Options options = parse(argc, argv);
  options.job.launcher = launch::launcher_of(options.launcher);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const launch::Results results = launch::Results::make(options.results);
  try {
    options.job.words = launch::launcher_words(options.job.launcher, options.launcher, options.job.words,
                                               {self, std::string(kRank), results.folder()}, results.folder());
    const int status = launch::run_job(options.job, results);
    results.remove();
    return status;
  } catch (...) {
    results.remove();
    throw;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    std::fputs(kUsage, stdout);
    return STOWAGE_OK;
  }
  try {
    if (argc > 3 && argv[1] == kRank) return launch::run_rank(argv[2], argv + 3);
    return run(argc, argv);
  } catch (const std::exception&) {
    const auto [status, message] = current_exception_status();
    std::fprintf(stderr, "stowage-run: %s\n", message.c_str());
    return status;
  }
}
