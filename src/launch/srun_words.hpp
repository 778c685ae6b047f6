// SPDX-License-Identifier: Apache-2.0
// srun has no option for a program that runs each rank's program, so its words are read as it reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stowage::launch {

// `words` with `prefix` before the program of every part (parts are divided by a word ":"). Of a part with --multi-prog
// the file is rewritten into `folder` instead. Throws STOWAGE_INVALID_ARGUMENT if a part names no program,
// STOWAGE_IO_ERROR if a file cannot be read or written.
std::vector<std::string> srun_words(const std::vector<std::string>& words, const std::vector<std::string>& prefix,
                                    const std::filesystem::path& folder);

}  // namespace stowage::launch
