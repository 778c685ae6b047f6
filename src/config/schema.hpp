// SPDX-License-Identifier: Apache-2.0
// The sections of the configuration: each function reads one part of the file into Config and checks what can be said
// of that part alone. docs/configuration.md is the reference.
#pragma once

#include "config/section.hpp"

namespace stowage::config {

void read_run(Section& top, Config& config);      // seed, replicas, length of the run, io, cost, defer, checkpoint, ...
void read_batches(Section& top, Config& config);  // batch, micro_batch; after read_run, which reads the replicas
void read_sources(Section& top, Config& config);  // sources, and the defaults for all of them

}  // namespace stowage::config
