// SPDX-License-Identifier: Apache-2.0
// The digest that proves two streams equal.
#pragma once

#include "base/hash.hpp"
#include "stowage.h"

namespace stowage::deliver {

// Over every field and every array of the step, in the order of their declaration. Pure; thread-safe.
Digest step_digest(const stowage_step& step);

}  // namespace stowage::deliver
