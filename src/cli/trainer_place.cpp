// SPDX-License-Identifier: Apache-2.0
#include "cli/trainer_place.hpp"

#include <charconv>
#include <map>
#include <string_view>

#include "base/error.hpp"

namespace stowage::cli {
namespace {

std::int32_t number(std::string_view word, const std::string& whole, const char* form) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < 0) {
    fail(STOWAGE_INVALID_ARGUMENT, "expected a form like {}, got '{}'", form, whole);
  }
  return value;
}

// "RANK/SIZE" into both; nothing if the word is empty.
void set_axis(const std::string& word, std::int32_t& rank, std::int32_t& size) {
  if (word.empty()) return;
  constexpr const char* kForm = "0/2 (rank and size)";
  const std::size_t slash = std::min(word.find('/'), word.size());
  rank = number(std::string_view(word).substr(0, slash), word, kForm);
  size = number(std::string_view(word).substr(std::min(slash + 1, word.size())), word, kForm);
}

std::map<std::string_view, std::int32_t> sizes_of(const std::string& word) {
  constexpr const char* kForm = "tp=2,cp=2,dp=2,pp=2 (sizes >= 1)";
  std::map<std::string_view, std::int32_t> sizes{{"tp", 1}, {"cp", 1}, {"dp", 1}, {"pp", 1}};
  for (std::string_view rest = word; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const auto found = sizes.find(one.substr(0, one.find('=')));
    if (found == sizes.end() || one.size() < 4)
      fail(STOWAGE_INVALID_ARGUMENT, "expected a form like {}, got '{}'", kForm, word);
    found->second = number(one.substr(3), word, kForm);
    if (found->second == 0) fail(STOWAGE_INVALID_ARGUMENT, "expected a form like {}, got '{}'", kForm, word);
  }
  return sizes;
}

}  // namespace

void set_place(const PlaceWords& words, std::int32_t rank, stowage_trainer_options& options) {
  if (!words.parallel.empty()) {
    const auto sizes = sizes_of(words.parallel);
    options.tensor_parallel_size = sizes.at("tp");
    options.context_parallel_size = sizes.at("cp");
    options.pipeline_parallel_size = sizes.at("pp");
    options.tensor_parallel_rank = rank % sizes.at("tp");
    rank /= sizes.at("tp");
    options.context_parallel_rank = rank % sizes.at("cp");
    rank /= sizes.at("cp");
    options.replica = rank % sizes.at("dp");
    options.pipeline_parallel_rank = rank / sizes.at("dp");
  }
  set_axis(words.tensor, options.tensor_parallel_rank, options.tensor_parallel_size);
  set_axis(words.context, options.context_parallel_rank, options.context_parallel_size);
  set_axis(words.pipeline, options.pipeline_parallel_rank, options.pipeline_parallel_size);
}

}  // namespace stowage::cli
