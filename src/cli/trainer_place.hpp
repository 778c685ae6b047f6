// SPDX-License-Identifier: Apache-2.0
// How a stand-in trainer is told its place in the model's parallelism.
#pragma once

#include <cstdint>
#include <string>

#include "stowage.h"

namespace stowage::cli {

// As words of the command line; empty where not given.
struct PlaceWords {
  std::string parallel;                   // "tp=2,cp=2,dp=2,pp=2": sizes, each 1 if left out
  std::string tensor, context, pipeline;  // "RANK/SIZE"
};

// Writes the place of the trainer of that rank into `options`. With `parallel` the replica too, by Megatron's order of
// ranks: tensor parallel ranks are neighbours, then context, data and pipeline parallel ones. A rank beyond the sizes
// gets a pipeline stage beyond the last, which the loaders refuse. Throws STOWAGE_INVALID_ARGUMENT for words that are
// malformed.
void set_place(const PlaceWords& words, std::int32_t rank, stowage_trainer_options& options);

}  // namespace stowage::cli
