// SPDX-License-Identifier: Apache-2.0
#include "launch/rank.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "launch/held_connection.hpp"
#include "launch/results.hpp"

namespace stowage::launch {
namespace {

constexpr timespec kLookForLauncher{1, 0};
constexpr timespec kLookOften{0, 100'000'000};  // for the connection, and for the end of the job
constexpr std::chrono::seconds kOrphanGrace{30};

std::optional<int> number_from(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    if (const char* value = std::getenv(variable)) return std::atoi(value);
  }
  return std::nullopt;
}

std::string slurm_step() {
  const char* job = std::getenv("SLURM_JOB_ID");
  const char* step = std::getenv("SLURM_STEP_ID");
  return job != nullptr && step != nullptr ? fmt::format("{}.{}", job, step) : "-";
}

// Whether the words, perhaps behind a tool such as env or gdb, run `stowage serve`.
bool is_loader(char** argv) {
  for (; argv[0] != nullptr && argv[1] != nullptr; ++argv) {
    const std::string_view word(argv[0]);
    if (word.substr(word.rfind('/') + 1) == "stowage" && std::string_view(argv[1]) == "serve") return true;
  }
  return false;
}

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGURG, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM}) {
    sigaddset(&set, signal);
  }
  return set;
}

class Program {
 public:
  Program(const Results& results, char** argv) : results_(results), signals_(watched()), launcher_(getppid()) {
    sigset_t before;
    sigprocmask(SIG_BLOCK, &signals_, &before);
    const pid_t me = getpid();
    pid_ = fork();
    if (pid_ < 0) fail(STOWAGE_IO_ERROR, "cannot start a process: {}", std::strerror(errno));
    if (pid_ == 0) become(argv, me, before);
    connection_.emplace(pid_);
  }

  Ending wait() {
    leave_streams();
    pass_on_sent();
    for (;;) {
      if (const auto ending = ended()) return *ending;
      siginfo_t info{};
      connection_->look();
      const bool often = connection_->wanted() && !connection_->held();
      const int signal = sigtimedwait(&signals_, &info, often ? &kLookOften : &kLookForLauncher);
      if (signal == SIGURG) {
        pass_on_sent();
      } else if (signal > 0 && signal != SIGCHLD && info.si_pid != launcher_) {
        kill(pid_, signal);
      }
      if (getppid() != launcher_) end_orphan();
    }
  }

  // The program has ended. While others of the job still run, Slurm must not notice that it did so without a word.
  void hold_connection() const {
    while (connection_->held() && !results_.over() && getppid() == launcher_) {
      const int signal = sigtimedwait(&signals_, nullptr, &kLookOften);
      if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) return;
    }
  }

 private:
  [[noreturn]] static void become(char** argv, pid_t parent, const sigset_t& mask) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(128 + SIGKILL);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    setenv("STOWAGE_SURVIVAL", "1", 1);
    execvp(argv[0], argv);
    std::fprintf(stderr, "stowage-run: cannot start %s: %s\n", argv[0], std::strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
  }

  // The program alone decides how long its input and output stay open.
  static void leave_streams() {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return;
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close(null);
  }

  std::optional<Ending> ended() const {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    return WIFSIGNALED(status) ? Ending{true, WTERMSIG(status)} : Ending{false, WEXITSTATUS(status)};
  }

  void pass_on_sent() {
    while (const auto signal = results_.signal(passed_on_)) {
      kill(pid_, *signal);
      ++passed_on_;
    }
  }

  void end_orphan() {
    const auto now = std::chrono::steady_clock::now();
    if (!orphan_since_) {
      orphan_since_ = now;
      kill(pid_, SIGTERM);
    } else if (now - *orphan_since_ > kOrphanGrace) {
      kill(pid_, SIGKILL);
    }
  }

  const Results& results_;
  sigset_t signals_;
  pid_t launcher_;
  pid_t pid_ = 0;
  std::optional<HeldConnection> connection_;
  int passed_on_ = 0;
  std::optional<std::chrono::steady_clock::time_point> orphan_since_;
};

[[noreturn]] void die_by(int signal) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

}  // namespace

int run_rank(const std::filesystem::path& folder, char** argv) {
  const Results results(folder);
  const std::optional<int> found = number_from({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"});
  if (!found) fail(STOWAGE_MPI_ERROR, "no rank in the environment: was this process started by mpirun or srun?");
  const int rank = *found;
  const int size = number_from({"OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}).value_or(0);
  results.started(rank, {is_loader(argv), size, host_name(), getpid(), slurm_step(), std::nullopt});
  Program program(results, argv);
  const Ending ending = program.wait();
  results.ended(rank, ending);
  program.hold_connection();
  if (ending.by_signal) die_by(ending.number);
  return ending.number;
}

}  // namespace stowage::launch
