// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_check.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.hpp"

namespace stowage::cli {
namespace {

class Checker {
 public:
  Checker(const stowage_step& step, std::uint32_t m, const stowage_trainer_options& place)
      : step_(step),
        m_(m),
        batch_(step.micro_batches[m]),
        rank_(place.context_parallel_rank),
        size_(place.context_parallel_size),
        first_stage_(place.pipeline_parallel_rank == 0),
        last_stage_(place.pipeline_parallel_rank == place.pipeline_parallel_size - 1) {}

  // Targets (positions with a label) of the micro-batch, every array found right.
  std::uint64_t check(std::uint32_t cap) const {
    require(batch_.length >= 1 && batch_.length <= cap, "length", 0, cap, batch_.length);
    equal("local_length * context_parallel_size", 0, batch_.length, std::int64_t{batch_.local_length} * size_);
    equal("tokens given", 0, first_stage_, batch_.tokens != nullptr);
    equal("position_ids given", 0, first_stage_, batch_.position_ids != nullptr);
    equal("labels given", 0, last_stage_, batch_.labels != nullptr);
    equal("loss_mask given", 0, last_stage_, batch_.loss_mask != nullptr);
    equal("cu_seqlens", 0, 0, batch_.cu_seqlens[0]);
    equal("cu_seqlens_padded", 0, 0, batch_.cu_seqlens_padded[0]);
    std::uint64_t targets = 0;
    std::int64_t longest = batch_.segments == 0 ? batch_.length : 0;
    for (std::uint32_t s = 0; s < batch_.segments; ++s) {
      targets += check_segment(s);
      longest = std::max<std::int64_t>(longest, batch_.cu_seqlens_padded[s + 1] - batch_.cu_seqlens_padded[s]);
    }
    equal("max_seqlen", 0, longest, batch_.max_seqlen);
    equal("tokens_real", 0, batch_.cu_seqlens[batch_.segments], batch_.tokens_real);
    if (batch_.segments == 0) {
      check_rows(0, batch_.length, 0);
    } else {
      equal("cu_seqlens_padded", batch_.segments, batch_.length, batch_.cu_seqlens_padded[batch_.segments]);
    }
    return targets;
  }

 private:
  std::uint64_t check_segment(std::uint32_t s) const {
    const std::int64_t real = batch_.cu_seqlens[s + 1] - batch_.cu_seqlens[s];
    const std::int64_t begin = batch_.cu_seqlens_padded[s];
    const std::int64_t end = batch_.cu_seqlens_padded[s + 1];
    equal("origin.tokens", s, real, batch_.origin[s].tokens);
    require(begin <= end && real <= end - begin && end <= batch_.length, "cu_seqlens_padded", s + 1, begin + real, end);
    if (size_ > 1) equal("extent modulo 2 * context_parallel_size", s, 0, (end - begin) % (2 * size_));
    check_rows(begin, end, real);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(real - 1, 0));
  }

  // This rank's entries of the segment [begin, end) of the whole row, of which `real` positions are tokens.
  void check_rows(std::int64_t begin, std::int64_t end, std::int64_t real) const {
    const std::int64_t count = (end - begin) / size_;
    const std::int64_t at = begin / size_;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t position = position_of(i, count);
      if (first_stage_) {
        equal("position_ids", at + i, position, batch_.position_ids[at + i]);
        if (position >= real) padding("tokens", at + i, batch_.tokens[at + i]);
      }
      if (last_stage_) check_target(at + i, position, real);
      const bool next_is_here = i + 1 < count && position_of(i + 1, count) == position + 1;
      if (first_stage_ && last_stage_ && next_is_here && position + 1 < real) {
        equal("labels", at + i, batch_.tokens[at + i + 1], batch_.labels[at + i]);
      }
    }
  }

  void check_target(std::int64_t at, std::int64_t position, std::int64_t real) const {
    const bool labelled = position + 1 < real;
    require(batch_.loss_mask[at] == (labelled ? 1.0F : 0.0F), "loss_mask", at, labelled,
            static_cast<std::int64_t>(batch_.loss_mask[at]));
    if (!labelled) padding("labels", at, batch_.labels[at]);
  }

  // Within the segment, of the i-th of this rank's `count` entries: the first half is chunk r, the second its mirror.
  std::int64_t position_of(std::int64_t i, std::int64_t count) const {
    const std::int64_t chunk = count / 2;
    if (size_ == 1) return i;
    return i < chunk ? rank_ * chunk + i : (2 * size_ - 1 - rank_) * chunk + (i - chunk);
  }

  // All padding holds one token.
  void padding(const char* array, std::int64_t at, std::int64_t found) const {
    if (!pad_) pad_ = found;
    equal(array, at, *pad_, found);
  }

  void equal(const char* array, std::int64_t at, std::int64_t expected, std::int64_t found) const {
    require(expected == found, array, at, expected, found);
  }

  void require(bool holds, const char* array, std::int64_t at, std::int64_t expected, std::int64_t found) const {
    if (holds) return;
    fail(STOWAGE_INTERNAL_ERROR, "step {}, replica {}, micro-batch {}: {}[{}] is wrong: expected {}, found {}",
         step_.step, step_.replica, m_, array, at, expected, found);
  }

  const stowage_step& step_;
  std::uint32_t m_;
  const stowage_micro_batch& batch_;
  std::int64_t rank_;  // context parallel
  std::int64_t size_;
  bool first_stage_;
  bool last_stage_;
  mutable std::optional<std::int64_t> pad_;
};

}  // namespace

void check_step(const stowage_step& step, const stowage_info& info, const stowage_trainer_options& place,
                std::uint64_t expected_step) {
  const auto require = [&](const char* what, std::uint64_t expected, std::uint64_t found) {
    if (expected == found) return;
    fail(STOWAGE_INTERNAL_ERROR, "step {}, replica {}: {} is wrong: expected {}, found {}", expected_step, info.replica,
         what, expected, found);
  };
  require("step", expected_step, step.step);
  require("replica", info.replica, step.replica);
  if (step.micro_batch_count == 0) require("micro_batch_count", 1, 0);
  std::uint64_t tokens = 0;
  std::uint64_t targets = 0;
  for (std::uint32_t m = 0; m < step.micro_batch_count; ++m) {
    targets += Checker(step, m, place).check(info.micro_batch_tokens);
    tokens += step.micro_batches[m].tokens_real;
  }
  require("replica_tokens", tokens, step.replica_tokens);
  require("replica_targets", targets, step.replica_targets);
  if (step.global_tokens < tokens) require("global_tokens", tokens, step.global_tokens);
  if (step.global_targets < targets) require("global_targets", targets, step.global_targets);
}

}  // namespace stowage::cli
