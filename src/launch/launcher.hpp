// SPDX-License-Identifier: Apache-2.0
// How mpirun and srun are told to put a program before that of every rank, and to let survivors live.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stowage::launch {

enum class Launcher { mpirun, mpirun5, prterun, srun };  // mpirun5: of Open MPI 5; prterun is what it stands on

// By the name of the program, and for others than srun by what it says its version is. Throws STOWAGE_INVALID_ARGUMENT.
Launcher launcher_of(const std::string& program);

// The words that run `program` with the caller's `words` so that each rank runs `prefix` followed by its own program,
// and outlives others. A file of --multi-prog is rewritten into `folder`. Throws STOWAGE_INVALID_ARGUMENT where srun's
// words name no program, STOWAGE_IO_ERROR.
std::vector<std::string> launcher_words(Launcher launcher, const std::string& program,
                                        const std::vector<std::string>& words, const std::vector<std::string>& prefix,
                                        const std::filesystem::path& folder);

// Sets, in the environment of this process, what MPI libraries need for survivors to live, unless it is set already: a
// message of which a part is read from the sender's memory (CMA) fails in the receiver when the sender dies.
void set_survival_environment();

}  // namespace stowage::launch
