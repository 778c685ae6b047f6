// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/log.hpp"

namespace stowage::checkpoint {
namespace {

constexpr std::string_view kPrefix = "ckpt-";
constexpr std::string_view kStep = "-step-";
constexpr std::string_view kTemporary = ".h5.tmp-";  // as source::OutputFile names what is not published

std::string file_name(std::uint64_t number, std::uint64_t step, Kind kind) {
  return fmt::format("{}{:08}{}{}.{}.h5", kPrefix, number, kStep, step, name_of(kind));
}

// Takes `word` from the front.
bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Generation> parse(const std::string& name) {
  std::string_view rest = name;
  if (!skip(rest, kPrefix)) return std::nullopt;
  const auto number = take_number(rest);
  if (!number || !skip(rest, kStep)) return std::nullopt;
  const auto step = take_number(rest);
  if (!step) return std::nullopt;
  for (const Kind kind : {Kind::base, Kind::difference}) {
    // Only the one way to write it: no other number of zeros.
    if (file_name(*number, *step, kind) == name) return Generation{*number, *step, kind, {}};
  }
  return std::nullopt;
}

void each_file(const std::string& folder, const std::function<void(const std::filesystem::path&)>& visit) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) visit(entry->path());
  if (error) fail(STOWAGE_IO_ERROR, "cannot read the checkpoint folder {}: {}", folder, error.message());
}

}  // namespace

const char* name_of(Kind kind) noexcept {
  return kind == Kind::base ? "base" : "difference";
}

std::string path_of(const std::string& folder, std::uint64_t number, std::uint64_t step, Kind kind) {
  return (std::filesystem::path(folder) / file_name(number, step, kind)).string();
}

std::vector<Generation> generations_in(const std::string& folder) {
  std::vector<Generation> found;
  each_file(folder, [&](const std::filesystem::path& path) {
    if (auto generation = parse(path.filename().string())) {
      generation->path = path.string();
      found.push_back(*std::move(generation));
    }
  });
  std::sort(found.begin(), found.end(), [](const Generation& a, const Generation& b) {
    return a.number != b.number ? a.number < b.number : a.path < b.path;
  });
  return found;
}

std::vector<std::string> temporaries_in(const std::string& folder) {
  std::vector<std::string> found;
  each_file(folder, [&](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    const std::size_t at = name.rfind(kTemporary);
    if (at != std::string::npos && parse(name.substr(0, at) + ".h5")) found.push_back(path.string());
  });
  std::sort(found.begin(), found.end());
  return found;
}

bool remove_file(const std::string& path) noexcept {
  if (::unlink(path.c_str()) == 0) return true;
  const int code = errno;
  if (code == ENOENT) return true;
  log().warn("cannot remove {}: {}; it is no longer needed", path, std::generic_category().message(code));
  return false;
}

std::vector<Generation> remove_generations(std::vector<Generation> generations) {
  std::vector<Generation> removed;
  for (; !generations.empty() && remove_file(generations.back().path); generations.pop_back()) {
    removed.insert(removed.begin(), generations.back());
  }
  return removed;
}

std::span<const Generation> superfluous(std::span<const Generation> generations, std::uint64_t keep) {
  const auto base_at_or_before = [&](std::size_t at) {
    while (at > 0 && generations[at].kind != Kind::base) --at;
    return at;
  };
  const std::size_t count = generations.size();
  if (count == 0 || count - 1 <= keep) return {};
  const std::size_t needed = base_at_or_before(count - 1 - static_cast<std::size_t>(keep));
  const std::size_t newest_base = base_at_or_before(count - 1);
  const std::size_t second_base = newest_base == 0 ? 0 : base_at_or_before(newest_base - 1);
  return generations.first(std::min(needed, second_base));
}

}  // namespace stowage::checkpoint
