// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_digest.hpp"

#include <span>

namespace stowage::deliver {

Digest step_digest(const stowage_step& step) {
  Hasher hasher;
  hasher.add(step.step).add(step.replica_tokens).add(step.global_tokens).add(step.replica_targets);
  hasher.add(step.global_targets).add(step.global_sequences).add(step.micro_batch_count).add(step.replica);
  for (const stowage_micro_batch& batch : std::span(step.micro_batches, step.micro_batch_count)) {
    const std::size_t length = batch.length;
    const std::size_t boundaries = std::size_t{batch.segments} + 1;
    hasher.add(batch.length).add(batch.segments).add(batch.tokens_real).add(batch.max_seqlen);
    hasher.add_array(std::span(batch.tokens, length)).add_array(std::span(batch.labels, length));
    hasher.add_array(std::span(batch.loss_mask, length)).add_array(std::span(batch.position_ids, length));
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
