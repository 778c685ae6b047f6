// SPDX-License-Identifier: Apache-2.0
// The drawn order: an endless (or, with epochs, finite) sequence of draws that is a pure function of seed, weights and
// source sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stowage::mixture {

struct SourceSpec {
  std::string name;
  std::uint64_t sequences = 0;  // in one epoch; 0 only with weight 0
  double weight = 0.0;          // share of draws; 0 = disabled
  bool shuffled = true;
};

struct Draw {
  std::uint64_t position = 0;  // in the drawn order, from 0
  std::uint64_t sequence = 0;  // index within the source
  std::uint64_t epoch = 0;     // of the source, from 0
  std::uint32_t source = 0;

  friend bool operator==(const Draw&, const Draw&) = default;
};

// Everything that the next draws depend on besides the specification. Global, not by rank.
struct DrawState {
  std::uint64_t position = 0;             // draws made
  std::vector<std::uint64_t> drawn;       // by source, all stages
  std::vector<std::uint64_t> stage_base;  // by source: `drawn` when the present stage began; equal to `drawn` if
                                          // sources or weights were changed just there

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& position& drawn& stage_base;
  }
  friend bool operator==(const DrawState&, const DrawState&) = default;
};

// With `epochs`, every sequence of every enabled source is drawn exactly that often: a source that has given all its
// epochs leaves the mixture and the others go on with their shares renormalised (a new stage). Without, sources repeat
// for ever. A state may be restored under other weights where a stage begins: each source then goes on where it stood.
// O(log S) a draw, O(S) memory and start-up. A copy goes on by itself, at O(S). Not thread-safe.
class DrawStream {
 public:
  // Throws STOWAGE_INVALID_ARGUMENT for weights that Schedule refuses, an enabled source without sequences, 0 epochs,
  // and more draws in all than 64 bits count.
  DrawStream(std::uint64_t seed, std::vector<SourceSpec> sources, std::optional<std::uint64_t> epochs);
  ~DrawStream();
  DrawStream(const DrawStream& other);
  DrawStream(DrawStream&&) noexcept;
  DrawStream& operator=(DrawStream&&) noexcept;

  std::optional<Draw> next();  // nothing at the end of the last epoch
  // Draws of all epochs, those of sources that were disabled later included; nothing without `epochs`.
  std::optional<std::uint64_t> total() const;

  const DrawState& state() const noexcept;
  void restore(const DrawState& state);  // throws STOWAGE_INVALID_ARGUMENT if it cannot belong to these sources

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stowage::mixture
