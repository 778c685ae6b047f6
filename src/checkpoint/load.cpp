// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/load.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>

#include "base/log.hpp"
#include "checkpoint/chains.hpp"

namespace stowage::checkpoint {
namespace {

bool is_wanted(const Generation& generation, const Wanted& wanted) {
  switch (wanted.which) {
    case Wanted::Which::newest:
      return true;
    case Wanted::Which::exactly:
      return generation.step == wanted.step;
    case Wanted::Which::not_after:
      return generation.step <= wanted.step;
  }
  return false;
}

[[noreturn]] void fail_without(const std::string& folder, const Wanted& wanted,
                               const std::vector<Generation>& generations) {
  std::vector<std::uint64_t> steps;
  for (const Generation& generation : generations) steps.push_back(generation.step);
  fail(STOWAGE_INVALID_ARGUMENT, "{}: expected a checkpoint {}step {}, found those of steps {}", folder,
       wanted.which == Wanted::Which::not_after ? "not after " : "of ", wanted.step, fmt::join(steps, ", "));
}

[[noreturn]] void fail_broken(const std::string& folder, const std::vector<PassedOver>& broken) {
  std::string reasons;
  for (const PassedOver& one : broken) reasons += "\n  " + one.reason;
  fail(STOWAGE_DATA_ERROR, "{}: expected a valid checkpoint, found {} that are not:{}", folder, broken.size(), reasons);
}

}  // namespace

std::optional<Loaded> load(const std::string& folder, const Wanted& wanted) {
  std::error_code error;
  if (std::filesystem::status(folder, error).type() == std::filesystem::file_type::not_found) return std::nullopt;
  Chains chains(folder);
  const std::vector<Generation>& generations = chains.generations();
  if (generations.empty()) return std::nullopt;

  std::vector<PassedOver> passed_over;
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    if (!is_wanted(*generation, wanted)) continue;
    try {
      Loaded loaded{chains.load(*generation), *generation, {}};
      for (const PassedOver& one : passed_over) {
        log().warn("checkpoint not used: {}; going back to generation {}, step {}", one.reason, generation->number,
                   generation->step);
      }
      loaded.passed_over = std::move(passed_over);
      return loaded;
    } catch (const Error& failure) {
      passed_over.push_back({*generation, failure.what()});
    }
  }
  if (passed_over.empty()) fail_without(folder, wanted, generations);
  fail_broken(folder, passed_over);
}

}  // namespace stowage::checkpoint
