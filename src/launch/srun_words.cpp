// SPDX-License-Identifier: Apache-2.0
#include "launch/srun_words.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "base/error.hpp"

namespace stowage::launch {
namespace {

using Words = std::vector<std::string>;

// Options without a value, or whose value is optional and then follows "="; all others take the next word (srun(1)).
constexpr std::string_view kShortFlags = "EHIkKlOQsuvVWXZ";
constexpr std::array<std::string_view, 31> kLongFlags{"contiguous",
                                                      "cpu-bind-help",
                                                      "disable-status",
                                                      "exact",
                                                      "exclusive",
                                                      "export-all",
                                                      "external",
                                                      "extra-node-info-help",
                                                      "help",
                                                      "hold",
                                                      "immediate",
                                                      "interactive",
                                                      "kill-on-bad-exit",
                                                      "label",
                                                      "mpi-list",
                                                      "multi-prog",
                                                      "nice",
                                                      "no-allocate",
                                                      "no-kill",
                                                      "overcommit",
                                                      "oversubscribe",
                                                      "overlap",
                                                      "preserve-env",
                                                      "pty",
                                                      "quiet",
                                                      "quit-on-interrupt",
                                                      "resv-ports",
                                                      "spread-job",
                                                      "unbuffered",
                                                      "usage",
                                                      "verbose"};

// Whether the option `word` takes the next word as its value.
bool takes_next(std::string_view word) {
  if (word.starts_with("--")) {
    return word.find('=') == std::string_view::npos &&
           std::ranges::find(kLongFlags, word.substr(2)) == kLongFlags.end();
  }
  // Letters may stand together; the value of the first that needs one follows it at once or is the next word.
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (kShortFlags.find(word[i]) == std::string_view::npos) return i + 1 == word.size();
    // Their optional value follows at once.
    if (word[i] == 'I' || word[i] == 'k' || word[i] == 'K' || word[i] == 'Z') return false;
  }
  return false;
}

std::string joined(const Words& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// Lines: ranks program arguments; '#' begins a comment, '\' at the end continues a line.
void rewrite_multi_prog(const std::string& from, const std::filesystem::path& to, const Words& prefix) {
  std::ifstream in(from);
  if (!in) fail(STOWAGE_IO_ERROR, "{} (of --multi-prog): cannot open it", from);
  std::ofstream out(to);
  std::string line;
  for (bool continued = false; std::getline(in, line);) {
    const std::size_t ranks = line.find_first_not_of(" \t");
    const std::size_t after = line.find_first_of(" \t", ranks);
    if (!continued && ranks != std::string::npos && line[ranks] != '#' && after != std::string::npos) {
      line.insert(after, " " + joined(prefix));
    }
    continued = line.ends_with('\\');
    out << line << '\n';
  }
  if (!out.flush()) fail(STOWAGE_IO_ERROR, "{}: cannot write it", to.string());
}

}  // namespace

Words srun_words(const Words& words, const Words& prefix, const std::filesystem::path& folder) {
  Words made;
  int part = 0;
  for (auto word = words.begin(); word != words.end();) {
    bool multi_prog = false;
    for (; word != words.end() && word->starts_with('-'); ++word) {
      made.push_back(*word);
      if (*word == "--") {
        ++word;
        break;
      }
      multi_prog = multi_prog || *word == "--multi-prog";
      if (takes_next(*word) && word + 1 != words.end()) made.push_back(*++word);
    }
    if (word == words.end() || *word == ":") {
      fail(STOWAGE_INVALID_ARGUMENT, "srun's words '{}' name no program", joined(words));
    }
    if (multi_prog) {
      const std::filesystem::path file = folder / fmt::format("multi-prog.{}", part++);
      rewrite_multi_prog(*word++, file, prefix);
      made.push_back(file);
    } else {
      made.insert(made.end(), prefix.begin(), prefix.end());
    }
    for (bool end = false; word != words.end() && !end; ++word) {
      end = *word == ":";
      made.push_back(*word);
    }
  }
  if (made.empty()) fail(STOWAGE_INVALID_ARGUMENT, "srun got no words: name the ranks and their program");
  return made;
}

}  // namespace stowage::launch
