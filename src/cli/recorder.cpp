// SPDX-License-Identifier: Apache-2.0
#include "cli/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "mpi/rounds.hpp"

namespace stowage::cli {
namespace {

constexpr const char* kSegmentsHeader = "# step replica micro_batch source_index sequence epoch piece begin tokens";

// The texts of all ranks on rank 0; elsewhere empty.
std::string gathered(const mpi::Group& group, const std::string& mine, const mpi::Rounds& rounds) {
  const std::vector<std::uint64_t> sizes = mpi::all_gather(group, std::uint64_t{mine.size()}, rounds);
  std::string all;
  if (group.rank() == 0) all.resize(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
  mpi::gather(group, 0, std::as_bytes(std::span(mine)), sizes, std::as_writable_bytes(std::span(all)), rounds);
  return all;
}

bool first_of_replica(const mpi::Group& group, std::uint32_t replica, const mpi::Rounds& rounds) {
  const std::vector<std::uint32_t> replicas = mpi::all_gather(group, replica, rounds);
  return std::ranges::find(replicas, replica) - replicas.begin() == group.rank();
}

// Step and replica, the first two numbers of a line.
std::pair<std::uint64_t, std::uint64_t> key_of(std::string_view line) {
  std::uint64_t step = 0;
  std::uint64_t replica = 0;
  const char* end = line.data() + line.size();
  const auto after = std::from_chars(line.data(), end, step).ptr;
  if (after != end) std::from_chars(after + 1, end, replica);
  return {step, replica};
}

void write_sorted(const std::string& file, const std::string& text, const char* header) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  std::ranges::stable_sort(lines, {}, key_of);
  std::ofstream out(file);
  if (header != nullptr) out << header << '\n';
  for (const std::string_view line : lines) out << line << '\n';
  if (!out.flush()) fail(STOWAGE_IO_ERROR, "{}: cannot write", file);
}

}  // namespace

Recorder::Recorder(std::string digests, std::string segments, bool with_tokens)
    : digests_file_(std::move(digests)), segments_file_(std::move(segments)), with_tokens_(with_tokens) {}

void Recorder::add(const stowage_step& step) {
  if (!digests_file_.empty()) {
    char hex[33];
    stowage_step_digest(&step, hex);
    fmt::format_to(std::back_inserter(digests_), "{} {} {}\n", step.step, step.replica, hex);
  }
  if (segments_file_.empty()) return;
  for (std::uint32_t m = 0; m < step.micro_batch_count; ++m) {
    const stowage_micro_batch& batch = step.micro_batches[m];
    for (std::uint32_t s = 0; s < batch.segments; ++s) {
      const stowage_segment& origin = batch.origin[s];
      fmt::format_to(std::back_inserter(segments_), "{} {} {} {} {} {} {} {} {}", step.step, step.replica, m,
                     origin.source, origin.sequence, origin.epoch, origin.piece, origin.begin, origin.tokens);
      if (with_tokens_) {
        if (batch.tokens == nullptr || batch.local_length != batch.length) {
          fail(STOWAGE_INVALID_ARGUMENT,
               "a trainer records tokens only where it gets whole rows of them: without context "
               "parallelism, at the first pipeline stage");
        }
        const std::int64_t* tokens = batch.tokens + batch.cu_seqlens_padded[s];
        fmt::format_to(std::back_inserter(segments_), " : {}", fmt::join(tokens, tokens + origin.tokens, " "));
      }
      segments_ += '\n';
    }
  }
}

void Recorder::write(MPI_Comm trainers, std::uint32_t replica, const mpi::Idle& idle) {
  if (trainers != MPI_COMM_NULL) {
    const mpi::Group group = trainers;
    const mpi::Rounds rounds{idle};
    if (!first_of_replica(group, replica, rounds)) {
      digests_.clear();
      segments_.clear();
    }
    digests_ = gathered(group, digests_, rounds);
    segments_ = gathered(group, segments_, rounds);
    if (group.rank() != 0) return;
  }
  if (!digests_file_.empty()) write_sorted(digests_file_, digests_, nullptr);
  if (!segments_file_.empty()) write_sorted(segments_file_, segments_, kSegmentsHeader);
}

}  // namespace stowage::cli
