// SPDX-License-Identifier: Apache-2.0
// The tokens of a step, from the files to the ranks that construct: cooperative reading, then all-to-all 2.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "loader/statistics.hpp"
#include "loader/step_stream.hpp"
#include "plan/plan.hpp"
#include "read/read_plan.hpp"
#include "read/reader.hpp"

namespace stowage::loader {

// The raw tokens of the segments that a rank constructs.
class ReceivedTokens {
 public:
  // segment: its index in the step's batch; it must be one that this rank constructs.
  ByteView of(std::uint32_t segment) const noexcept {
    return ByteView(bytes_).subspan(begin_[segment], size_[segment]);
  }

 private:
  friend class Payload;
  Bytes bytes_;
  std::vector<std::uint64_t> begin_;  // [segments of the step]; meaningless for others' segments
  std::vector<std::uint64_t> size_;   // [segments of the step]
};

// For each step: choose, read, exchange, in this order.
class Payload {
 public:
  // Borrows all. Collective over `team`.
  Payload(const config::Config& config, const Catalogue& catalogue, exchange::Team& team);
  ~Payload();

  // Decides who reads what. Pure: the same on every rank. constructors: rank by replica, negative = not wanted.
  void choose(const StepBatch& batch, const plan::Plan& plan, const std::vector<int>& constructors);

  // Reads this rank's part. Collective with collective I/O; the ranks must agree on its outcome afterwards.
  void read();

  // All-to-all 2. Collective over the team.
  ReceivedTokens exchange();

  RankStatistics statistics() const;

 private:
  const Catalogue& catalogue_;
  exchange::Team& team_;
  std::unique_ptr<read::Reader> reader_;
  std::vector<read::Piece> pieces_;           // of the wanted segments, in batch order
  std::vector<std::uint32_t> piece_segment_;  // [pieces] index into the batch
  std::vector<int> piece_to_;                 // [pieces] the constructing rank
  std::size_t segments_ = 0;
  read::ReadPlan plan_;
  Bytes buffer_;  // what this rank read
  std::uint64_t bytes_exchanged_ = 0;
};

}  // namespace stowage::loader
