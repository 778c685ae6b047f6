// SPDX-License-Identifier: Apache-2.0
#include "loader/pipeline.hpp"

#include <algorithm>
#include <tuple>

#include "base/fault_point.hpp"
#include "loader/construct.hpp"
#include "source/tokens.hpp"

namespace stowage::loader {

namespace {

// Token ids must be below it: by the configuration's word and by the shard's.
std::uint64_t vocabulary(const config::Source& source, const read::ShardInfo& shard) noexcept {
  const std::uint64_t configured = source.vocab_size.value_or(source::kAnyVocabulary);
  return shard.vocab_size == 0 ? configured : std::min(configured, shard.vocab_size);
}

}  // namespace

Pipeline::Pipeline(const config::Config& config, const Catalogue& catalogue, exchange::Team& team,
                   Constructors constructors, AllocateFor allocate, const checkpoint::IteratorState& start)
    : config_(config),
      catalogue_(catalogue),
      team_(team),
      constructors_(std::move(constructors)),
      allocate_(std::move(allocate)),
      stream_(config, catalogue, team, start),
      payload_(config, catalogue, team) {}

Pipeline::~Pipeline() = default;

// Borrows `tokens`.
plan::Request Pipeline::request(const StepBatch& batch, std::vector<std::uint32_t>& tokens) const {
  fault_point("planning");
  tokens.clear();
  for (const Segment& segment : batch.segments) tokens.push_back(segment.piece.tokens);
  plan::Request request;
  request.tokens = tokens;
  request.replicas = config_.data_parallel;
  request.cap = config_.micro_batch.tokens;
  request.pad_segments_to = config_.micro_batch.pad_segments_to;
  request.equal_counts = config_.micro_batch.equal_counts;
  request.cost = {config_.cost.linear, config_.cost.quadratic};
  return request;
}

std::optional<checkpoint::StepDelta> Pipeline::pass() {
  std::optional<StepBatch> batch = stream_.next();
  if (!batch) return std::nullopt;
  std::vector<std::uint32_t> tokens;
  exchange::Vote vote;
  vote.same = plan::make_plan(request(*batch, tokens)).digest();
  team_.agree(vote);
  batch->delta.plan = vote.same;
  return std::move(batch->delta);
}

Pipeline::Outcome Pipeline::next(bool finished, std::uint64_t progress, const Needed& needed) {
  exchange::Vote vote;
  vote.finished = finished;
  vote.progress = progress;
  Outcome outcome;

  std::optional<StepBatch> batch = stream_.next();
  if (!batch) {
    outcome.end = true;
    outcome.delta = stream_.rest();
    outcome.least_progress = team_.agree(vote).least_progress;
    return outcome;
  }
  fault_point("planning");
  std::vector<std::uint32_t> tokens;
  const plan::Request request = this->request(*batch, tokens);
  const plan::Plan plan = plan::make_plan(request);
  if (batch->step >= plans_counted_from_) plan_statistics_.add(*batch, request, plan, config_.micro_batch);
  vote.same = plan.digest();
  payload_.choose(*batch, plan, constructors_);
  try {
    payload_.read();
  } catch (...) {
    std::tie(vote.status, vote.message) = current_exception_status();
  }
  const exchange::Agreement agreement = team_.agree(vote);
  outcome.least_progress = agreement.least_progress;
  if (agreement.all_finished) {
    outcome.abandoned = true;
    return outcome;
  }

  const ReceivedTokens received = payload_.exchange();
  outcome.delta = std::move(batch->delta);
  outcome.delta.plan = vote.same;
  outcome.blocks = construct_mine(*batch, plan, received, needed);
  return outcome;
}

std::vector<Produced> Pipeline::construct_mine(const StepBatch& batch, const plan::Plan& plan,
                                               const ReceivedTokens& received, const Needed& needed) {
  const GlobalCounts global = count_global(batch);
  std::vector<Produced> blocks;
  std::vector<RawTokens> raw;
  for (std::uint32_t replica = 0; replica < config_.data_parallel; ++replica) {
    if (constructors_[replica] != team_.rank() || (needed && !needed(replica, batch.step))) continue;
    raw.clear();
    for (std::uint32_t m = plan.replica_begin[replica]; m < plan.replica_begin[replica + 1]; ++m) {
      for (const std::uint32_t s : plan.sequences(m)) {
        const Segment& segment = batch.segments[s];
        const read::ShardInfo& shard = catalogue_.shards()[segment.shard];
        raw.push_back({received.of(s), shard.type});
        source::check_tokens(raw.back().bytes, shard.type, vocabulary(config_.sources[segment.draw.source], shard),
                             shard.file, segment.shard_token);
      }
    }
    const auto allocate = [&](std::size_t bytes) { return allocate_(replica, bytes); };
    blocks.push_back({replica, construct(batch, plan, replica, config_.micro_batch, global, raw, allocate)});
  }
  return blocks;
}

RankStatistics Pipeline::rank_statistics() const {
  return payload_.statistics();
}

}  // namespace stowage::loader
