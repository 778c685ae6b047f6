// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_digest.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "deliver/slices.hpp"

namespace stowage::deliver {
namespace {

// The row in the plain order of its segments; one without segments is cut as a whole.
template <typename T>
std::vector<T> in_plain_order(const T* row, const stowage_micro_batch& batch, std::uint32_t slices) {
  std::vector<T> plain(batch.length);
  for (std::uint32_t s = 0; s < std::max(batch.segments, 1U); ++s) {
    const auto begin = static_cast<std::size_t>(batch.cu_seqlens_padded[s]);
    const std::size_t end =
        batch.segments == 0 ? batch.length : static_cast<std::size_t>(batch.cu_seqlens_padded[s + 1]);
    for_each_run(begin, end - begin, batch.length, slices,
                 [&](std::size_t first, std::size_t place, std::size_t count) {
                   std::copy_n(row + place, count, plain.data() + begin + first);
                 });
  }
  return plain;
}

template <typename T>
void add_row(Hasher& hasher, const T* row, const stowage_micro_batch& batch, std::uint32_t slices) {
  if (row == nullptr) return;
  if (slices == 1) {
    hasher.add_array(std::span(row, batch.local_length));
  } else {
    hasher.add_array(std::span<const T>(in_plain_order(row, batch, slices)));
  }
}

}  // namespace

Digest step_digest(const stowage_step& step, std::uint32_t slices) {
  Hasher hasher;
  hasher.add(step.step).add(step.replica_tokens).add(step.global_tokens).add(step.replica_targets);
  hasher.add(step.global_targets).add(step.global_sequences).add(step.micro_batch_count).add(step.replica);
  for (const stowage_micro_batch& batch : std::span(step.micro_batches, step.micro_batch_count)) {
    const std::size_t boundaries = std::size_t{batch.segments} + 1;
    hasher.add(batch.length).add(batch.segments).add(batch.tokens_real).add(batch.max_seqlen);
    add_row(hasher, batch.tokens, batch, slices);
    add_row(hasher, batch.labels, batch, slices);
    add_row(hasher, batch.loss_mask, batch, slices);
    add_row(hasher, batch.position_ids, batch, slices);
    hasher.add_array(std::span(batch.cu_seqlens, boundaries));
    hasher.add_array(std::span(batch.cu_seqlens_padded, boundaries));
    for (const stowage_segment& segment : std::span(batch.origin, batch.segments)) {
      hasher.add(segment.sequence).add(segment.epoch).add(segment.begin);
      hasher.add(segment.source).add(segment.piece).add(segment.tokens);
    }
  }
  return hasher.digest();
}

}  // namespace stowage::deliver
