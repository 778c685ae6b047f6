// SPDX-License-Identifier: Apache-2.0
// What stands between the launcher and the program of a rank: it starts the program, writes down how that ended, and
// ends the same way itself.
#pragma once

#include <filesystem>

namespace stowage::launch {

// Runs argv (ended by nullptr) as its rank of the job and returns its exit status; does not return if the program was
// killed by a signal, which then kills this process too. The program sees what it would see without, but for
// STOWAGE_SURVIVAL=1 in its environment. It gets each signal once: launchers send theirs to the process group, which
// includes the program; a signal that anybody else sends to this process is passed on, and so are those of
// Results::send() when SIGURG comes. The program is killed when this process is, and asked to end (SIGTERM, then
// SIGKILL) when the launcher's process of this node is gone. 127 or 126: the program was not found or could not be
// started.
int run_rank(const std::filesystem::path& results, char** argv);

}  // namespace stowage::launch
