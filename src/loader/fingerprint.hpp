// SPDX-License-Identifier: Apache-2.0
// What the stream of a run depends on, as a checkpoint keeps it.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "config/config.hpp"
#include "loader/catalogue.hpp"
#include "source/shard.hpp"

namespace stowage::loader {

// Of the configuration: every key that changes the stream, in the order of docs/configuration.md. Keys that decide only
// how it gets to the trainers (io, exchange, delivery, cache, prefetch, limits, context_parallel, checkpoint) and
// vocab_size, which only checks, have no place in it. Of the data: what the catalogue found. Pure.
checkpoint::Fingerprint fingerprint_of(const config::Config& config, const Catalogue& catalogue);

// The digest of a source's index: lengths and places of all its sequences, shard by shard.
Digest index_digest(const std::vector<source::Shard>& shards);

// The files of a shard as they are now. Throws STOWAGE_IO_ERROR.
std::vector<checkpoint::Fingerprint::File> files_of(const source::Shard& shard, config::Format format);

}  // namespace stowage::loader
