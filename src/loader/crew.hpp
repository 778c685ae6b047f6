// SPDX-License-Identifier: Apache-2.0
// The loader ranks of a job and what each of them does: some work, the others follow as shadows.
#pragma once

#include <cstdint>
#include <vector>

namespace stowage::loader {

// Loader ranks go by their number: their place among the loader ranks of the job, from 0. The same on every rank.
struct Crew {
  std::uint32_t lost = 0;    // how many had been lost when all that were left agreed on this
  std::vector<int> active;   // by place in the team that works
  std::vector<int> shadows;  // in the order in which they will be taken
  std::vector<int> server;   // [replicas] who constructs and delivers the replica's steps

  bool works(int number) const noexcept;

  // The constructors of the team of `active`: by place in it. [replicas]
  std::vector<int> constructors() const;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& lost& active& shadows& server;
  }
  friend bool operator==(const Crew&, const Crew&) = default;
};

// The last `shadows` of the loader ranks are shadows. server: as Crew::server. Throws STOWAGE_CONFIG_ERROR unless one
// rank is left to work.
Crew first_crew(int loaders, std::uint32_t shadows);

// The crew without those that are not `living` (ascending numbers; never empty). A shadow of the lost one's node takes
// its place and its replicas, else the first shadow; without shadows the place is given up, and its replicas go, in
// order, each to the working rank that has the fewest. node_of [loader ranks of the job]. Pure.
Crew after_loss(const Crew& crew, const std::vector<int>& living, const std::vector<int>& node_of);

}  // namespace stowage::loader
