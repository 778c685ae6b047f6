// SPDX-License-Identifier: Apache-2.0
#include "config/schema.hpp"

namespace stowage::config {
namespace {

constexpr std::uint64_t kMaxBatchSequences = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMaxBatchTokens = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxContextParallel = 65'536;
constexpr std::uint64_t kMaxCap = std::numeric_limits<std::int32_t>::max();  // cu_seqlens are 32-bit signed

// More replicas than the batch can give one sequence, or one token, each.
void check_replicas(const Section& top, const Config& config) {
  const std::uint64_t replicas = config.data_parallel;
  const Batch& batch = config.batch;
  const Mark mark = top.has("data_parallel") ? top.mark_of("data_parallel") : batch.mark;
  if (batch.sequences != 0 && replicas > batch.sequences) {
    top.report().add(mark, "data_parallel must not exceed batch.sequences, got {} replicas for {} sequences", replicas,
                     batch.sequences);
  }
  if (batch.tokens != 0 && replicas > batch.tokens) {
    top.report().add(mark, "data_parallel must not exceed batch.tokens, got {} replicas for {} tokens", replicas,
                     batch.tokens);
  }
}

void read_batch(Section& top, Batch& batch) {
  top.require("batch", "it gives the size of a global batch, as {sequences: N} or {tokens: N}");
  auto section = top.section("batch");
  if (!section) return;
  batch.mark = section->mark();
  section->integer("sequences", batch.sequences, 1, kMaxBatchSequences);
  section->integer("tokens", batch.tokens, 1, kMaxBatchTokens);
  section->require_exactly_one("sequences", "tokens");
  section->choice("last", batch.last);
  section->finish();
}

// Each rank of context parallelism holds two of 2 * context_parallel equal chunks of every segment.
void check_slices(const Section& section, const MicroBatch& micro_batch, bool has_cap) {
  const std::uint32_t unit = 2 * micro_batch.context_parallel;
  if (has_cap && micro_batch.tokens < unit) {
    section.report().add(section.mark_of("tokens"),
                         "micro_batch.tokens must be at least 2 * context_parallel ({}), got {}", unit,
                         micro_batch.tokens);
  } else if (micro_batch.pad_segments_to % unit != 0) {
    section.report().add(section.mark_of("pad_segments_to"),
                         "micro_batch.pad_segments_to must be a multiple of 2 * context_parallel ({}), got {}", unit,
                         micro_batch.pad_segments_to);
  } else if (has_cap && micro_batch.pad_to_cap && micro_batch.tokens % micro_batch.pad_segments_to != 0) {
    section.report().add(section.mark_of("tokens"),
                         "micro_batch.tokens must be a multiple of pad_segments_to ({}) with pad_to_cap and "
                         "context_parallel, got {}: the last segment takes the rest of the row",
                         micro_batch.pad_segments_to, micro_batch.tokens);
  }
}

void read_micro_batch(Section& top, MicroBatch& micro_batch) {
  const bool sliced = micro_batch.context_parallel > 1;
  if (sliced) micro_batch.pad_segments_to = 2 * micro_batch.context_parallel;
  top.require("micro_batch", "it gives the token cap of a micro-batch, as {tokens: N}");
  auto section = top.section("micro_batch");
  if (!section) return;
  const bool has_cap = section->integer("tokens", micro_batch.tokens, 1, kMaxCap);
  section->require("tokens", "it is the most tokens that a micro-batch may hold, padding included");
  section->integer("pad_segments_to", micro_batch.pad_segments_to, 1);
  if (has_cap && section->has("pad_segments_to") && micro_batch.pad_segments_to > micro_batch.tokens) {
    section->report().add(section->mark_of("pad_segments_to"),
                          "micro_batch.pad_segments_to must not exceed micro_batch.tokens, got {} for a cap of {}: "
                          "a padded segment of one token would not fit",
                          micro_batch.pad_segments_to, micro_batch.tokens);
  }
  section->boolean("pad_to_cap", micro_batch.pad_to_cap);
  if (sliced) check_slices(*section, micro_batch, has_cap);
  section->boolean("equal_counts", micro_batch.equal_counts);
  section->integer("pad_token", micro_batch.pad_token, 0);
  section->finish();
}

}  // namespace

void read_batches(Section& top, Config& config) {
  top.integer("context_parallel", config.micro_batch.context_parallel, 1, kMaxContextParallel);
  read_batch(top, config.batch);
  read_micro_batch(top, config.micro_batch);
  check_replicas(top, config);
}

}  // namespace stowage::config
