// SPDX-License-Identifier: Apache-2.0
// A second opinion on everything a stand-in trainer receives: the whole step made anew in this process, by a
// configuration without context parallelism, and the trainer's part taken out of it entry by entry.
#pragma once

#include <string>

#include "stowage.h"

namespace stowage::cli {

class ReferenceCheck {
 public:
  // The configuration must give the same stream as the job's, in plain rows: context_parallel left out, pad_segments_to
  // as there. Throws what stowage_trainer_create_embedded reports.
  ReferenceCheck(const std::string& config, const stowage_trainer_options& place);
  ~ReferenceCheck();
  ReferenceCheck(const ReferenceCheck&) = delete;
  ReferenceCheck& operator=(const ReferenceCheck&) = delete;

  // The next step of the stream. Throws STOWAGE_INTERNAL_ERROR at the first thing that differs, by name and place.
  void check(const stowage_step& step);

 private:
  stowage_trainer_options place_;
  stowage_trainer* whole_ = nullptr;
};

}  // namespace stowage::cli
