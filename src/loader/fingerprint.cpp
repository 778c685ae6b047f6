// SPDX-License-Identifier: Apache-2.0
#include "loader/fingerprint.hpp"

#include <sys/stat.h>

#include "config/choices.hpp"
#include "loader/policy.hpp"
#include "source/megatron_format.hpp"
#include "source/system_error.hpp"

namespace stowage::loader {
namespace {

checkpoint::Fingerprint::File file_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) source::fail_with_errno("look at", path);
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {path, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

// Settings as text, one after the other.
class Settings {
 public:
  template <typename T>
  void add(std::string key, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      settings_.push_back({std::move(key), std::string(config::Choices<T>::words[static_cast<std::size_t>(value)])});
    } else {
      settings_.push_back({std::move(key), fmt::format("{}", value)});
    }
  }
  void add_if(std::string key, const std::optional<std::uint64_t>& value) {
    if (value) add(std::move(key), *value);
  }
  std::vector<checkpoint::Fingerprint::Setting> take() && { return std::move(settings_); }

 private:
  std::vector<checkpoint::Fingerprint::Setting> settings_;
};

void add_source(const config::Config& config, const config::Source& source, Settings& settings) {
  const std::string prefix = "sources." + source.name + ".";
  if (config.natural_weights) {
    settings.add(prefix + "weight", "by size");
  } else {
    settings.add(prefix + "weight", source.weight);
  }
  settings.add(prefix + "order", source.order);
  settings.add(prefix + "sample", source.sample);
  settings.add(prefix + "over_long", source.over_long);
  settings.add(prefix + "zero_length", source.zero_length);
}

}  // namespace

checkpoint::Fingerprint fingerprint_of(const config::Config& config, const Catalogue& catalogue) {
  Settings settings;
  settings.add("seed", config.seed);
  settings.add("data_parallel", config.data_parallel);
  settings.add_if("steps", config.steps);
  settings.add_if("epochs", config.epochs);
  settings.add("batch.sequences", config.batch.sequences);
  settings.add("batch.tokens", config.batch.tokens);
  settings.add("batch.last", config.batch.last);
  settings.add("micro_batch.tokens", config.micro_batch.tokens);
  settings.add("micro_batch.pad_segments_to", config.micro_batch.pad_segments_to);
  settings.add("micro_batch.pad_to_cap", config.micro_batch.pad_to_cap);
  settings.add("micro_batch.equal_counts", config.micro_batch.equal_counts);
  settings.add("micro_batch.pad_token", config.micro_batch.pad_token);
  settings.add("weights", config.weight_unit);
  settings.add("cost.linear", config.cost.linear);
  settings.add("cost.quadratic", config.cost.quadratic);
  settings.add("defer.steps", config.defer.steps);
  for (const config::Source& source : config.sources) add_source(config, source, settings);

  checkpoint::Fingerprint fingerprint;
  fingerprint.settings = std::move(settings).take();
  for (const SourceInfo& info : catalogue.sources()) {
    fingerprint.sources.push_back({info.name, info.sequences, info.tokens, info.index, info.files});
  }
  return fingerprint;
}

Digest index_digest(const std::vector<source::Shard>& shards) {
  Hasher hasher;
  for (const source::Shard& shard : shards) hasher.add_array(std::span<const std::uint64_t>(shard.begin));
  return hasher.digest();
}

std::vector<checkpoint::Fingerprint::File> files_of(const source::Shard& shard, config::Format format) {
  std::vector<checkpoint::Fingerprint::File> files{file_of(shard.token_file)};
  if (format == config::Format::megatron) {
    files.push_back(file_of(source::megatron::idx_path(source::megatron::prefix_of(shard.token_file))));
  }
  return files;
}

}  // namespace stowage::loader
