// SPDX-License-Identifier: Apache-2.0
#include "cli/reference_check.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace stowage::cli {
namespace {

// One micro-batch against the whole one.
class Comparison {
 public:
  Comparison(const stowage_step& step, std::uint32_t m, const stowage_micro_batch& whole,
             const stowage_trainer_options& place)
      : step_(step), m_(m), part_(step.micro_batches[m]), whole_(whole), place_(place) {}

  void run() const {
    equal("length", whole_.length, part_.length);
    equal("segments", whole_.segments, part_.segments);
    equal("tokens_real", whole_.tokens_real, part_.tokens_real);
    equal("max_seqlen", whole_.max_seqlen, part_.max_seqlen);
    const std::size_t boundaries = std::size_t{whole_.segments} + 1;
    same("cu_seqlens", std::vector(whole_.cu_seqlens, whole_.cu_seqlens + boundaries), part_.cu_seqlens);
    same("cu_seqlens_padded", std::vector(whole_.cu_seqlens_padded, whole_.cu_seqlens_padded + boundaries),
         part_.cu_seqlens_padded);
    equal("origin", 0, std::memcmp(part_.origin, whole_.origin, whole_.segments * sizeof(stowage_segment)));
    const bool first = place_.pipeline_parallel_rank == 0;
    const bool last = place_.pipeline_parallel_rank == place_.pipeline_parallel_size - 1;
    row("tokens", first, whole_.tokens, part_.tokens);
    row("position_ids", first, whole_.position_ids, part_.position_ids);
    row("labels", last, whole_.labels, part_.labels);
    row("loss_mask", last, whole_.loss_mask, part_.loss_mask);
  }

 private:
  // A whole row without what other context parallel ranks have.
  template <typename T>
  std::vector<T> mine(const T* row) const {
    if (place_.context_parallel_size == 1) return {row, row + whole_.length};
    std::vector<std::int32_t> bounds(whole_.cu_seqlens_padded, whole_.cu_seqlens_padded + whole_.segments + 1);
    if (whole_.segments == 0) bounds = {0, static_cast<std::int32_t>(whole_.length)};
    std::vector<T> entries;
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
      const std::int32_t chunk = (bounds[s + 1] - bounds[s]) / (2 * place_.context_parallel_size);
      const std::int32_t mirrored = 2 * place_.context_parallel_size - 1 - place_.context_parallel_rank;
      for (const std::int32_t c : {place_.context_parallel_rank, mirrored}) {
        const T* begin = row + bounds[s] + c * chunk;
        entries.insert(entries.end(), begin, begin + chunk);
      }
    }
    return entries;
  }

  template <typename T>
  void row(const char* name, bool given, const T* whole, const T* found) const {
    if (!given) {
      if (found != nullptr) differ(name, 0, "NULL", "an array");
      return;
    }
    if (found == nullptr) differ(name, 0, "an array", "NULL");
    const std::vector<T> expected = mine(whole);
    equal("local_length", static_cast<std::int64_t>(expected.size()), part_.local_length);
    same(name, expected, found);
  }

  template <typename T>
  void same(const char* name, const std::vector<T>& expected, const T* found) const {
    const auto at = std::ranges::mismatch(expected, std::span(found, expected.size())).in1 - expected.begin();
    const auto i = static_cast<std::size_t>(at);
    if (i < expected.size()) differ(name, i, expected[i], found[i]);
  }

  void equal(const char* name, std::int64_t expected, std::int64_t found) const {
    if (expected != found) differ(name, 0, expected, found);
  }

  template <typename T, typename U>
  [[noreturn]] void differ(const char* name, std::size_t at, const T& expected, const U& found) const {
    fail(STOWAGE_INTERNAL_ERROR,
         "step {}, replica {}, context parallel rank {}, pipeline stage {}, micro-batch {}: {}[{}] is {} by the "
         "reference, "
         "found {}",
         step_.step, step_.replica, place_.context_parallel_rank, place_.pipeline_parallel_rank, m_, name, at, expected,
         found);
  }

  const stowage_step& step_;
  std::uint32_t m_;
  const stowage_micro_batch& part_;
  const stowage_micro_batch& whole_;
  const stowage_trainer_options& place_;
};

void require(stowage_status status) {
  if (status != STOWAGE_OK) {
    throw Error(status == STOWAGE_END ? STOWAGE_INTERNAL_ERROR : status,
                status == STOWAGE_END ? "the reference has fewer steps" : stowage_last_message());
  }
}

}  // namespace

ReferenceCheck::ReferenceCheck(const std::string& config, const stowage_trainer_options& place) : place_(place) {
  stowage_trainer_options options;
  require(stowage_trainer_options_init(&options));
  options.replica = place.replica;
  require(stowage_trainer_create_embedded(config.c_str(), &options, &whole_));
}

ReferenceCheck::~ReferenceCheck() {
  stowage_trainer_destroy(&whole_);
}

void ReferenceCheck::check(const stowage_step& step) {
  const stowage_step* whole = nullptr;
  require(stowage_step_acquire(whole_, &whole));
  const auto counts = [](const stowage_step& one) {
    return std::vector<std::uint64_t>{
        one.step,           one.replica_tokens,   one.global_tokens,     one.replica_targets,
        one.global_targets, one.global_sequences, one.micro_batch_count, one.replica};
  };
  if (counts(step) != counts(*whole)) {
    fail(STOWAGE_INTERNAL_ERROR, "step {}, replica {}: its counts differ from those of the reference", step.step,
         step.replica);
  }
  for (std::uint32_t m = 0; m < step.micro_batch_count; ++m) Comparison(step, m, whole->micro_batches[m], place_).run();
  require(stowage_step_release(whole_, &whole));
}

}  // namespace stowage::cli
