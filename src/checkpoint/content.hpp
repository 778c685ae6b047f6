// SPDX-License-Identifier: Apache-2.0
// Digests of checkpoints by what they say, however and in whichever kind of file it is stored.
#pragma once

#include <span>

#include "checkpoint/checkpoint.hpp"

namespace stowage::checkpoint {

Digest digest_of(const Fingerprint& fingerprint);

// Of a whole checkpoint, the digest of whose fingerprint is known.
Digest content_digest(const Digest& fingerprint, const IteratorState& state, std::span<const Input> inputs);

}  // namespace stowage::checkpoint
