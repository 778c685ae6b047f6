// SPDX-License-Identifier: Apache-2.0
// What the stand-in trainer writes down of every step as it comes, so that a run that ends badly leaves it too.
#pragma once

#include <string>

#include "stowage.h"

namespace stowage::cli {

class History {
 public:
  // Appends to `file`; empty = not wanted. Throws STOWAGE_IO_ERROR.
  explicit History(const std::string& file);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // Adds the line 'step replica digest wait_ms seconds': how long the step was waited for, and the time now, of
  // CLOCK_MONOTONIC. The line is with the system when this returns. Throws STOWAGE_IO_ERROR.
  void add(const stowage_step& step, double waited_seconds);

 private:
  int descriptor_ = -1;
};

}  // namespace stowage::cli
