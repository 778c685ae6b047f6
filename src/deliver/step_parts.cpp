// SPDX-License-Identifier: Apache-2.0
#include "deliver/step_parts.hpp"

#include <algorithm>

#include "deliver/step_block.hpp"

namespace stowage::deliver {
namespace {

template <typename T>
void copy_array(const T* from, std::span<T> to) {
  if (from != nullptr) std::copy_n(from, to.size(), to.begin());
}

AlignedBuffer extracted(ByteView whole, const Part& part) {
  const StepView view(whole, part);
  const std::span batches(view.step().micro_batches, view.step().micro_batch_count);
  std::vector<MicroShape> shapes;
  for (const stowage_micro_batch& batch : batches) {
    shapes.push_back({batch.length, batch.segments, batch.tokens_real, batch.max_seqlen});
  }
  BlockHead head = view.head();
  head.part = part;
  StepBlock block(head, shapes);
  for (std::size_t m = 0; m < batches.size(); ++m) {
    const MicroArrays to = block.micro_batch(m);
    copy_array(batches[m].origin, to.origin);
    copy_array(batches[m].tokens, to.tokens);
    copy_array(batches[m].labels, to.labels);
    copy_array(batches[m].position_ids, to.position_ids);
    copy_array(batches[m].loss_mask, to.loss_mask);
    copy_array(batches[m].cu_seqlens, to.cu_seqlens);
    copy_array(batches[m].cu_seqlens_padded, to.cu_seqlens_padded);
  }
  return std::move(block).take();
}

}  // namespace

std::shared_ptr<const AlignedBuffer> StepParts::copy(const Part& part) {
  if (part == Part{}) return whole_;
  const auto found = std::ranges::find(copies_, part, [](const auto& copy) { return copy.first; });
  if (found != copies_.end()) return found->second;
  const ByteView whole = whole_->bytes();
  return copies_.emplace_back(part, std::make_shared<const AlignedBuffer>(extracted(whole, part))).second;
}

}  // namespace stowage::deliver
