// SPDX-License-Identifier: Apache-2.0
// A step on its way by message, to trainers that get different parts of it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "deliver/aligned_buffer.hpp"
#include "deliver/part.hpp"

namespace stowage::deliver {

// One thread.
class StepParts {
 public:
  explicit StepParts(std::shared_ptr<const AlignedBuffer> whole) : whole_(std::move(whole)) {}

  // A block that holds that part and nothing else: the whole step itself if that is the part. Copied once for all
  // trainers of the part, when the first one asks.
  std::shared_ptr<const AlignedBuffer> copy(const Part& part);

 private:
  std::shared_ptr<const AlignedBuffer> whole_;
  std::vector<std::pair<Part, std::shared_ptr<const AlignedBuffer>>> copies_;
};

}  // namespace stowage::deliver
