// SPDX-License-Identifier: Apache-2.0
#include "loader/construct.hpp"

#include <algorithm>
#include <numeric>

#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "deliver/slices.hpp"
#include "source/tokens.hpp"

namespace stowage::loader {
namespace {

std::uint32_t padded(std::uint32_t tokens, const config::MicroBatch& rule) {
  return round_up(tokens, rule.pad_segments_to);
}

// The segment [begin, begin + extent) of the plain row, each run of it into its place.
void fill_segment(const deliver::MicroArrays& to, std::size_t begin, std::size_t extent, const RawTokens& raw,
                  std::size_t tokens, const config::MicroBatch& rule) {
  const std::size_t width = source::token_bytes(raw.type);
  const std::size_t targets = tokens == 0 ? 0 : tokens - 1;
  // The segment's tokens from `first` on, then padding.
  const auto fill_ids = [&](std::span<std::int64_t> ids, std::size_t first) {
    const std::size_t real = first < tokens ? std::min(ids.size(), tokens - first) : 0;
    if (real > 0) source::widen(raw.bytes.subspan(first * width, real * width), raw.type, ids.first(real));
    std::ranges::fill(ids.subspan(real), rule.pad_token);
  };
  deliver::for_each_run(begin, extent, to.tokens.size(), rule.context_parallel,
                        [&](std::size_t first, std::size_t place, std::size_t count) {
                          fill_ids(to.tokens.subspan(place, count), first);
                          fill_ids(to.labels.subspan(place, count), first + 1);
                          const auto mask = to.loss_mask.subspan(place, count);
                          const std::size_t labelled = first < targets ? std::min(count, targets - first) : 0;
                          std::ranges::fill(mask.first(labelled), 1.0F);
                          std::ranges::fill(mask.subspan(labelled), 0.0F);
                          const auto positions = to.position_ids.subspan(place, count);
                          std::iota(positions.begin(), positions.end(), static_cast<std::int64_t>(first));
                        });
}

stowage_segment origin_of(const Segment& segment) {
  return {.sequence = segment.draw.sequence,
          .epoch = segment.draw.epoch,
          .begin = segment.piece.begin,
          .source = segment.draw.source,
          .piece = segment.piece.number,
          .tokens = segment.piece.tokens,
          .reserved = 0};
}

void fill_micro_batch(const deliver::MicroArrays& to, const StepBatch& batch, std::span<const std::uint32_t> sequences,
                      const config::MicroBatch& rule, std::span<const RawTokens> raw) {
  std::size_t at = 0;
  std::int32_t real = 0;
  to.cu_seqlens[0] = 0;
  to.cu_seqlens_padded[0] = 0;
  for (std::size_t k = 0; k < sequences.size(); ++k) {
    const Segment& segment = batch.segments[sequences[k]];
    const std::uint32_t tokens = segment.piece.tokens;
    const bool last = k + 1 == sequences.size();
    const std::size_t extent = last ? to.tokens.size() - at : padded(tokens, rule);
    to.origin[k] = origin_of(segment);
    fill_segment(to, at, extent, raw[k], tokens, rule);
    at += extent;
    real += static_cast<std::int32_t>(tokens);
    to.cu_seqlens[k + 1] = real;
    to.cu_seqlens_padded[k + 1] = static_cast<std::int32_t>(at);
  }
  if (sequences.empty()) fill_segment(to, 0, to.tokens.size(), RawTokens{}, 0, rule);
}

}  // namespace

// The row of a micro-batch ends with its last segment, or at the cap; one without tokens still has one padded unit, so
// that no array is ever empty.
deliver::MicroShape micro_batch_shape(const StepBatch& batch, std::span<const std::uint32_t> sequences,
                                      const config::MicroBatch& rule) {
  deliver::MicroShape shape;
  shape.segments = static_cast<std::uint32_t>(sequences.size());
  std::uint32_t used = 0;
  std::uint32_t longest = 0;
  std::uint32_t last = 0;
  for (const std::uint32_t s : sequences) {
    const std::uint32_t tokens = batch.segments[s].piece.tokens;
    last = padded(tokens, rule);
    shape.tokens_real += tokens;
    used += last;
    longest = std::max(longest, last);
  }
  shape.length = rule.pad_to_cap ? rule.tokens : std::max(used, rule.pad_segments_to);
  // The last segment's padded extent reaches to the end of the row.
  longest = std::max(longest, last + (shape.length - used));
  shape.max_seqlen = narrow<std::int32_t>(longest, "longest padded segment");
  return shape;
}

GlobalCounts count_global(const StepBatch& batch) {
  GlobalCounts counts;
  counts.sequences = batch.sequences;
  for (const Segment& segment : batch.segments) {
    counts.tokens += segment.piece.tokens;
    counts.targets += segment.piece.tokens == 0 ? 0 : segment.piece.tokens - 1;
  }
  return counts;
}

deliver::AlignedBuffer construct(const StepBatch& batch, const plan::Plan& plan, std::uint32_t replica,
                                 const config::MicroBatch& micro_batch, const GlobalCounts& global,
                                 std::span<const RawTokens> raw, const deliver::Allocate& allocate) {
  const std::uint32_t first = plan.replica_begin[replica];
  const std::uint32_t planned = plan.replica_begin[replica + 1] - first;
  const std::uint32_t count = std::max(planned, 1U);  // a replica without data still gets one micro-batch, all padding
  const auto sequences_of = [&](std::uint64_t m) {
    return planned == 0 ? std::span<const std::uint32_t>{} : plan.sequences(first + static_cast<std::uint32_t>(m));
  };
  std::vector<deliver::MicroShape> shapes(count);
  std::vector<std::size_t> raw_begin(count + 1, 0);
  std::uint64_t tokens = 0;
  std::uint64_t targets = 0;
  for (std::uint32_t m = 0; m < count; ++m) {
    const auto sequences = sequences_of(m);
    shapes[m] = micro_batch_shape(batch, sequences, micro_batch);
    raw_begin[m + 1] = raw_begin[m] + sequences.size();
    tokens += shapes[m].tokens_real;
    for (const std::uint32_t s : sequences) targets += std::max(batch.segments[s].piece.tokens, 1U) - 1;
  }

  deliver::BlockHead head;
  head.step = batch.step;
  head.replica = replica;
  head.slices = micro_batch.context_parallel;
  head.replica_tokens = tokens;
  head.replica_targets = targets;
  head.global_tokens = global.tokens;
  head.global_targets = global.targets;
  head.global_sequences = global.sequences;
  deliver::StepBlock block(head, shapes, allocate);

  parallel_for(count, [&](std::uint64_t m) {
    fill_micro_batch(block.micro_batch(m), batch, sequences_of(m), micro_batch,
                     raw.subspan(raw_begin[m], raw_begin[m + 1] - raw_begin[m]));
  });
  return std::move(block).take();
}

}  // namespace stowage::loader
