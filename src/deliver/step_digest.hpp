// SPDX-License-Identifier: Apache-2.0
// The digest that proves two streams equal.
#pragma once

#include "base/hash.hpp"
#include "stowage.h"

namespace stowage::deliver {

// Over every field of the step and every array that is given, in the order of their declaration. slices: of the rows,
// if the step shows whole rows in slice order (slices.hpp); they are then taken in plain order, so that the digest of a
// whole step does not depend on how it is cut. Pure; thread-safe.
Digest step_digest(const stowage_step& step, std::uint32_t slices = 1);

}  // namespace stowage::deliver
