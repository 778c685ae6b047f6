// SPDX-License-Identifier: Apache-2.0
// Where a run begins: at its first step, or where an earlier run of it was saved.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/ledger.hpp"
#include "exchange/team.hpp"
#include "loader/catalogue.hpp"
#include "loader/pipeline.hpp"

namespace stowage::loader {

struct Resume {
  enum class From { beginning, newest, step };

  std::string directory;        // of checkpoints; empty: none are there
  From from = From::newest;     // newest: the beginning if there is none
  std::uint64_t step = 0;       // for From::step: exactly before that one
  bool accept_changes = false;  // go on although seed, orders or data are others
};

// Where a trainer that gives this resume_step (stowage_trainer_options) goes on: in the configuration's directory.
Resume resume_from(const config::Config& config, std::int64_t resume_step);

struct Start {
  // Before first_step where that one was not saved: the steps between are to be made without being delivered.
  checkpoint::IteratorState state;
  std::uint64_t first_step = 0;           // to deliver
  checkpoint::Fingerprint fingerprint;    // of this run
  std::vector<checkpoint::Input> inputs;  // of the run that is gone on with, and what is different from here on
};

// `asked` of the loaders, and what the trainers want: resume_steps [trainers] of their options. Pure. Throws
// STOWAGE_MPI_ERROR if they contradict each other.
Resume agreed_with(const Resume& asked, const std::vector<std::int64_t>& resume_steps);

// Rank 0's `resume` counts; it reads the checkpoint, and every rank compares. Collective over `team`; every error is
// thrown by all: STOWAGE_CONFIG_ERROR that names every difference where some forbid to go on, and what checkpoint::load
// throws.
Start start_of(const config::Config& config, const Catalogue& catalogue, exchange::Team& team, const Resume& resume);

// Takes both to `first_step`: the steps between are planned and neither read nor delivered. All but the last are
// committed then. `explain` is told of each step before the ledger is. Collective over the pipeline's team; throws
// STOWAGE_CONFIG_ERROR if the run has fewer steps.
using Explain = std::function<void(std::uint64_t step, const checkpoint::StepDelta& delta)>;
void go_forward(Pipeline& pipeline, checkpoint::Ledger& ledger, std::uint64_t first_step, const Explain& explain = {});

}  // namespace stowage::loader
