// SPDX-License-Identifier: Apache-2.0
#include "loader/saving.hpp"

#include <utility>

#include "base/log.hpp"

namespace stowage::loader {
namespace {

constexpr mpi::Seconds kTryAgain{1.0};

}  // namespace

void Saving::write_here(const config::Config& config, const Start& start) {
  if (config.checkpoint.directory.empty() || checkpoints_) return;
  checkpoints_ = std::make_unique<Checkpoints>(config.checkpoint, start);
}

void Saving::write_in_place(const config::Config& config, const Start& start) {
  open_ = [this, &config, &start] { write_here(config, start); };
  next_try_ = mpi::Deadline::after(mpi::Seconds(0));
}

// Whether this rank writes.
bool Saving::ready() {
  if (open_ && next_try_.passed()) {
    try {
      open_();
      open_ = nullptr;
    } catch (const Error& error) {
      log().warn("this rank cannot write checkpoints yet: {}", error.what());
      next_try_ = mpi::Deadline::after(kTryAgain);
    }
  }
  return checkpoints_ != nullptr;
}

void Saving::check(const deliver::Server* server) {
  requests_.progress();
  const bool here = ended_ != nullptr && *ended_;
  const bool by_trainer = requests_.preempted() || (server != nullptr && server->preempted());
  if (!(here || by_trainer) || std::exchange(ending_, true)) return;
  fail(STOWAGE_PREEMPTED, "the run ends because a {} was told so from outside; start it again to go on",
       here ? "loader rank" : "trainer");
}

void Saving::progress(const checkpoint::Ledger& ledger) {
  if (!ready()) return;
  for (const std::uint64_t step : requests_.take_requests()) checkpoints_->request(step);
  checkpoints_->progress(ledger);
  answer();
}

void Saving::finish(const checkpoint::Ledger& ledger) {
  if (!ready()) return;
  for (const std::uint64_t step : requests_.take_requests()) checkpoints_->request(step);
  checkpoints_->finish(ledger);
  answer();
}

void Saving::answer() {
  for (const Checkpoints::Outcome& outcome : checkpoints_->take_outcomes())
    requests_.answer(outcome.step, outcome.status);
  requests_.progress();
}

}  // namespace stowage::loader
