// SPDX-License-Identifier: Apache-2.0
#include "launch/launcher.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/error.hpp"
#include "launch/srun_words.hpp"

namespace stowage::launch {
namespace {

// What `program --version` writes.
std::string version_of(const std::string& program) {
  const std::string command = fmt::format("'{}' --version 2>/dev/null", program);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (pipe != nullptr) {
    const std::size_t bytes = std::fread(part.data(), 1, part.size(), pipe.get());
    if (bytes == 0) break;
    text.append(part.data(), bytes);
  }
  return text;
}

}  // namespace

Launcher launcher_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  if (name == "srun") return Launcher::srun;
  const std::string version = version_of(program);
  if (version.starts_with("prterun ")) return Launcher::prterun;
  const std::size_t at = version.find("(Open MPI) ");
  if (at == std::string::npos) {
    fail(
        STOWAGE_INVALID_ARGUMENT,
        "--launcher {}: expected srun, prterun, or an mpirun of Open MPI that can be started; '{} --version' said '{}'",
        program, program, version.substr(0, version.find('\n')));
  }
  return version[at + 11] >= '5' ? Launcher::mpirun5 : Launcher::mpirun;
}

std::vector<std::string> launcher_words(Launcher launcher, const std::string& program,
                                        const std::vector<std::string>& words, const std::vector<std::string>& prefix,
                                        const std::filesystem::path& folder) {
  const std::string agent = fmt::format("{}", fmt::join(prefix, " "));
  std::vector<std::string> made{program};
  switch (launcher) {
    case Launcher::mpirun:
      made.insert(made.end(), {"--enable-recovery", "--mca", "orte_fork_agent", agent});
      break;
    case Launcher::mpirun5:
      made.insert(made.end(), {"--with-ft", "ulfm", "--prtemca", "odls_base_exec_agent", agent});
      break;
    case Launcher::prterun:
      made.insert(made.end(), {"--runtime-options", "recoverable", "--prtemca", "odls_base_exec_agent", agent});
      break;
    case Launcher::srun: {
      made.insert(made.end(), {"--kill-on-bad-exit=0", "--mpi=pmix"});
      const std::vector<std::string> wrapped = srun_words(words, prefix, folder);
      made.insert(made.end(), wrapped.begin(), wrapped.end());
      return made;
    }
  }
  made.insert(made.end(), words.begin(), words.end());
  return made;
}

void set_survival_environment() {
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);  // Open MPI 4
  setenv("OMPI_MCA_smsc", "^cma", 0);                             // Open MPI 5
}

}  // namespace stowage::launch
