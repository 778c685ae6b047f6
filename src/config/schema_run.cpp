// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "config/schema.hpp"

namespace stowage::config {
namespace {

constexpr std::uint64_t kMaxReplicas = 1'048'576;
constexpr std::uint64_t kMaxPrefetchSteps = 1'024;
constexpr std::uint64_t kMaxShadows = 65'536;
constexpr std::uint64_t kMaxSteps = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxEpochs = 1'000'000'000;  // times the sequences of any source still fits 64 bits
constexpr std::uint64_t kMaxSharedBytes = std::uint64_t{1} << 46;
constexpr std::uint64_t kMaxCacheBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxDeferSteps = 1'024;
constexpr double kMaxCostFactor = 1e15;
constexpr double kMinSeconds = 1e-3;
constexpr double kMaxSeconds = 31'536'000.0;  // a year

void read_cost(Section& top, Cost& cost) {
  auto section = top.section("cost");
  if (!section) return;
  section->number("linear", cost.linear, 0.0, kMaxCostFactor);
  section->number("quadratic", cost.quadratic, 0.0, kMaxCostFactor);
  section->finish();
}

void read_defer(Section& top, Defer& defer) {
  auto section = top.section("defer");
  if (!section) return;
  section->integer("steps", defer.steps, 0, kMaxDeferSteps);
  section->finish();
}

void read_checkpoint(Section& top, Checkpoint& checkpoint, const std::filesystem::path& folder) {
  auto section = top.section("checkpoint");
  if (!section) return;
  if (section->text("directory", checkpoint.directory)) {
    checkpoint.directory = (folder / checkpoint.directory).string();
  }
  section->require("directory", "it names the folder that checkpoints are written to");
  section->integer("every_steps", checkpoint.every_steps, 0);
  section->integer("base_every", checkpoint.base_every, 1);
  section->integer("keep", checkpoint.keep, 1);
  section->finish();
}

void read_cache(Section& top, Cache& cache, const std::filesystem::path& folder) {
  auto section = top.section("cache");
  if (!section) return;
  if (section->text("directory", cache.directory)) cache.directory = (folder / cache.directory).string();
  section->require("directory", "it names the folder of this node that copies of data files are kept in");
  section->integer("bytes", cache.bytes, 1, kMaxCacheBytes);
  section->require("bytes", "it bounds what the copies take");
  section->finish();
}

void read_prefetch(Section& top, Prefetch& prefetch) {
  auto section = top.section("prefetch");
  if (!section) return;
  section->integer("steps", prefetch.steps, 1, kMaxPrefetchSteps);
  section->finish();
}

void read_limits(Section& top, Limits& limits) {
  auto section = top.section("limits");
  if (!section) return;
  section->integer("open_files", limits.open_files, 1);
  section->integer("shared_bytes", limits.shared_bytes, 1, kMaxSharedBytes);
  section->number("acquire_seconds", limits.acquire_seconds, kMinSeconds, kMaxSeconds);
  section->number("peer_seconds", limits.peer_seconds, kMinSeconds, kMaxSeconds);
  section->number("trainer_seconds", limits.trainer_seconds, kMinSeconds, kMaxSeconds);
  section->finish();
}

}  // namespace

void read_run(Section& top, Config& config) {
  top.integer("seed", config.seed, 0);
  top.integer("data_parallel", config.data_parallel, 1, kMaxReplicas);
  top.integer("steps", config.steps, 1, kMaxSteps);
  top.integer("epochs", config.epochs, 1, kMaxEpochs);
  top.require_exactly_one("steps", "epochs");
  top.choice("io", config.io);
  top.choice("exchange", config.exchange);
  top.choice("delivery", config.delivery);
  read_cost(top, config.cost);
  if (config.cost.linear == 0.0 && config.cost.quadratic == 0.0) {
    top.report().add(top.mark_of("cost"),
                     "cost.linear and cost.quadratic must not both be 0: every sequence would be free");
  }
  read_defer(top, config.defer);
  const std::filesystem::path folder = std::filesystem::path(config.file).parent_path();
  read_checkpoint(top, config.checkpoint, folder);
  read_cache(top, config.cache, folder);
  if (!config.cache.directory.empty() && config.io == Io::collective) {
    top.report().add(top.mark_of("cache"),
                     "a cache needs io: cooperative: in a collective transfer all ranks read from the same file");
  }
  read_prefetch(top, config.prefetch);
  top.integer("shadows", config.shadows, 0, kMaxShadows);
  if (config.shadows > 0 && config.io == Io::collective) {
    top.report().add(top.mark_of("shadows"),
                     "shadows need io: cooperative: a collective transfer cannot be given up when a rank dies in it");
  }
  read_limits(top, config.limits);
}

}  // namespace stowage::config
