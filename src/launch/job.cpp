// SPDX-License-Identifier: Apache-2.0
#include "launch/job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "base/error.hpp"

namespace stowage::launch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr timespec kLook{0, 100'000'000};                  // between two looks at the results
constexpr std::chrono::duration<double> kAllEnded{5.0};    // what a launcher gets when no rank is left
constexpr std::chrono::duration<double> kSlowStart{20.0};  // after which absent ranks are worth a word
constexpr int kStartAgain = EX_TEMPFAIL;                   // STOWAGE_PREEMPTED
constexpr int kDidNotStart[] = {126, 127};

template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  std::fprintf(stderr, "stowage-run: %s\n", fmt::format(format, std::forward<Args>(args)...).c_str());
}

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

// Runs a short command to its end.
void run_command(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (pid > 0) waitpid(pid, nullptr, 0);
}

class Job {
 public:
  Job(const JobOptions& options, const Results& results)
      : options_(options), results_(results), grace_(options.grace_seconds), signals_(watched()), host_(host_name()) {}

  int run() {
    sigprocmask(SIG_BLOCK, &signals_, &mask_);
    start();
    while (!launcher_ended()) {
      const int signal = sigtimedwait(&signals_, nullptr, &kLook);
      if (signal > 0 && signal != SIGCHLD) pass_on(signal);
      look();
      act();
    }
    look();
    kill_what_is_left();
    return judge();
  }

 private:
  void start() {
    std::vector<std::string> words = options_.words;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    launcher_ = fork();
    if (launcher_ < 0) fail(STOWAGE_IO_ERROR, "cannot start a process: {}", std::strerror(errno));
    if (launcher_ > 0) return;
    // Away from the terminal, whose Ctrl-C would reach the launcher too.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (isatty(STDIN_FILENO) != 0) {
      const int null = open("/dev/null", O_RDONLY);
      if (null >= 0) dup2(null, STDIN_FILENO);
    }
    set_survival_environment();
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
    execvp(argv[0], argv.data());
    say("cannot start {}: {}", argv[0], std::strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
  }

  bool launcher_ended() {
    int status = 0;
    if (waitpid(launcher_, &status, WNOHANG) != launcher_) return false;
    launcher_ending_ = WIFSIGNALED(status) ? Ending{true, WTERMSIG(status)} : Ending{false, WEXITSTATUS(status)};
    return true;
  }

  // Ranks wait for SIGURG, which launchers pass on and programs do not notice, and then look for what was sent.
  void pass_on(int signal) {
    results_.send(passed_on_++, signal);
    look();  // ranks may have come since the last time
    if (ranks_.empty() && (signal == SIGTERM || signal == SIGINT)) {
      end_launcher("it was told to end before a rank had started");
    } else if (options_.launcher == Launcher::srun) {
      std::set<std::string> steps;
      for (const auto& [rank, record] : ranks_) steps.insert(record.step);
      for (const std::string& step : steps) run_command({"scancel", "--signal=URG", step});
    } else {
      kill(launcher_, SIGURG);
    }
  }

  void look() {
    results_.update(ranks_);
    for (auto& [rank, record] : ranks_) {
      if (record.ending || record.host != host_ || kill(record.pid, 0) == 0 || errno != ESRCH) continue;
      // Gone without a word, unless it has just come in.
      results_.update(ranks_);
      if (!record.ending) record.ending = Ending{true, SIGKILL};
    }
    if (first_failed_) return;
    for (const auto& [rank, record] : ranks_) {
      if (!record.ending || record.ending->status() == 0) continue;
      const bool started = std::ranges::find(kDidNotStart, record.ending->status()) == std::end(kDidNotStart);
      if (started && !counts(record)) continue;
      if (record.ending->status() == kStartAgain) {
        if (!preempted_since_) preempted_since_ = Clock::now();
        continue;
      }
      first_failed_ = rank;
      say("rank {} ({}) {}", rank, record.loader ? "a loader" : "a trainer", record.ending->text());
      return;
    }
  }

  // Whether the rank's end decides on the job.
  bool counts(const RankRecord& record) const {
    return !record.loader ||
           (all_came() && std::ranges::all_of(ranks_, [](const auto& rank) { return rank.second.loader; }));
  }

  bool all_came() const {
    return std::ranges::any_of(ranks_, [&](const auto& rank) {
      return rank.second.pid > 0 && ranks_.size() >= static_cast<std::size_t>(rank.second.size);
    });
  }

  void act() {
    if (told_to_end_) {
      if (Clock::now() - *told_to_end_ > grace_) kill(launcher_, SIGKILL);
      return;
    }
    if (first_failed_) return end_launcher("");
    if (preempted_since_ && Clock::now() - *preempted_since_ > grace_) {
      return end_launcher("some ranks did not end after the run was ended from outside");
    }
    const bool all = std::ranges::all_of(ranks_, [](const auto& rank) { return rank.second.ending.has_value(); });
    const bool trainers = std::ranges::all_of(
        ranks_, [&](const auto& rank) { return rank.second.ending.has_value() || !counts(rank.second); });
    if (!finished_ && !ranks_.empty() && all) {
      results_.finish();
      finished_ = true;
    }
    if (!all_came()) {
      warn_of_absent();
      if (ranks_.empty() || !all) {
        done_since_.reset();
      } else if (!done_since_) {
        done_since_ = Clock::now();
      } else if (Clock::now() - *done_since_ > grace_) {
        end_launcher("the ranks that came have ended, the others never came");
      }
      return;
    }
    if (!trainers) return;
    if (!done_since_) done_since_ = Clock::now();
    if (all && !all_since_) all_since_ = Clock::now();
    if (all_since_ && Clock::now() - *all_since_ > std::min(grace_, kAllEnded)) {
      end_launcher("it did not end after all ranks had");
    } else if (Clock::now() - *done_since_ > grace_) {
      end_loaders();
    }
  }

  // Directly, so that the launcher can tidy up; it is ended if that does not help.
  void end_loaders() {
    if (Clock::now() - *done_since_ > grace_ + kAllEnded) return end_launcher("loaders cannot be ended");
    if (killed_) return;
    killed_ = true;
    say("ending loaders: they did not end after all trainers had");
    pass_on(SIGKILL);
  }

  // mpirun with recovery says nothing of a rank whose program it cannot find.
  void warn_of_absent() {
    if (ranks_.empty() || warned_) return;
    if (!first_came_) first_came_ = Clock::now();
    if (Clock::now() - *first_came_ < kSlowStart) return;
    warned_ = true;
    say("{:.0f} s after the first rank only {} of {} have started their program: can all nodes find it?",
        kSlowStart.count(), ranks_.size(), ranks_.begin()->second.size);
  }

  void end_launcher(const char* reason) {
    if (*reason != '\0') say("ending {}: {}", options_.words.front(), reason);
    kill(launcher_, SIGTERM);
    told_to_end_ = Clock::now();
  }

  // Ranks of this host that outlived their launcher.
  void kill_what_is_left() {
    for (const auto& [rank, record] : ranks_) {
      if (record.ending || record.host != host_ || !is_ours(record.pid)) continue;
      kill(record.pid, SIGKILL);
      while (is_ours(record.pid)) nanosleep(&kLook, nullptr);
    }
    look();
  }

  bool is_ours(pid_t pid) const {
    std::ifstream in(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
    const std::string words{std::istreambuf_iterator<char>(in), {}};
    return words.find(results_.folder().string()) != std::string::npos;
  }

  int judge() {
    if (first_failed_) return ranks_.at(*first_failed_).ending->status();
    if (ranks_.empty()) return launcher_ending_.status();
    if (!all_came()) {
      say("only {} of {} ranks came to start their program", ranks_.size(), ranks_.begin()->second.size);
      return !told_to_end_ && launcher_ending_.status() != 0 ? launcher_ending_.status() : 1;
    }
    for (const auto& [rank, record] : ranks_) {
      const Ending ending = record.ending.value_or(Ending{true, SIGKILL});
      if (ending.status() == 0) continue;
      if (counts(record)) {
        if (!record.ending) say("rank {} (a trainer) was lost", rank);
        return ending.status();
      }
      if (preempted_since_) continue;
      say("rank {} (a loader) {}; the job was completed without it", rank, ending.text());
    }
    return 0;
  }

  const JobOptions& options_;
  const Results& results_;
  std::chrono::duration<double> grace_;
  sigset_t signals_;
  sigset_t mask_{};
  std::string host_;
  pid_t launcher_ = 0;
  Ending launcher_ending_;
  std::map<int, RankRecord> ranks_;
  std::optional<int> first_failed_;
  std::optional<Clock::time_point> preempted_since_;  // a trainer has ended to be started again
  int passed_on_ = 0;
  bool warned_ = false;
  bool killed_ = false;    // loaders were
  bool finished_ = false;  // ranks know that all others have ended, too
  std::optional<Clock::time_point> first_came_;
  std::optional<Clock::time_point> done_since_;   // all trainers have ended
  std::optional<Clock::time_point> all_since_;    // all ranks have
  std::optional<Clock::time_point> told_to_end_;  // the launcher was
};

}  // namespace

int run_job(const JobOptions& options, const Results& results) {
  return Job(options, results).run();
}

}  // namespace stowage::launch
