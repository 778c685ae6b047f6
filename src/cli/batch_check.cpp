// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_check.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"

namespace stowage::cli {
namespace {

class Checker {
 public:
  Checker(const stowage_step& step, std::uint32_t m) : step_(step), m_(m), batch_(step.micro_batches[m]) {}

  // Targets (positions with a label) of the micro-batch, every array found right.
  std::uint64_t check(std::uint32_t cap) const {
    require(batch_.length >= 1 && batch_.length <= cap, "length", 0, cap, batch_.length);
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
      check_padding(0, batch_.length, 0);
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
    const std::int64_t targets = std::max<std::int64_t>(real - 1, 0);
    for (std::int64_t i = 0; i < targets; ++i) {
      equal("labels", begin + i, batch_.tokens[begin + i + 1], batch_.labels[begin + i]);
      require(batch_.loss_mask[begin + i] == 1.0F, "loss_mask", begin + i, 1, static_cast<std::int64_t>(batch_.loss_mask[begin + i]));
    }
    for (std::int64_t i = 0; i < end - begin; ++i) equal("position_ids", begin + i, i, batch_.position_ids[begin + i]);
    check_padding(begin + targets, end, begin + real);
    return static_cast<std::uint64_t>(targets);
  }

  // No target in [begin, end); the token at end of a segment's real tokens is no padding yet.
  void check_padding(std::int64_t begin, std::int64_t end, std::int64_t real_end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      require(batch_.loss_mask[i] == 0.0F, "loss_mask", i, 0, static_cast<std::int64_t>(batch_.loss_mask[i]));
      equal("labels", i, batch_.labels[begin], batch_.labels[i]);
      if (i >= real_end) equal("tokens", i, batch_.labels[begin], batch_.tokens[i]);
    }
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
};

}  // namespace

void check_step(const stowage_step& step, const stowage_info& info, std::uint64_t expected_step) {
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
    targets += Checker(step, m).check(info.micro_batch_tokens);
    tokens += step.micro_batches[m].tokens_real;
  }
  require("replica_tokens", tokens, step.replica_tokens);
  require("replica_targets", targets, step.replica_targets);
  if (step.global_tokens < tokens) require("global_tokens", tokens, step.global_tokens);
  if (step.global_targets < targets) require("global_targets", targets, step.global_targets);
}

}  // namespace stowage::cli
