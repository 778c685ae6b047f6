// SPDX-License-Identifier: Apache-2.0
#include "loader/checkpoints.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/log.hpp"

namespace stowage::loader {
namespace {

std::uint64_t first_multiple_above(std::uint64_t step, std::uint64_t unit) {
  return unit == 0 ? std::numeric_limits<std::uint64_t>::max() : step - step % unit + unit;
}

}  // namespace

Checkpoints::Checkpoints(const config::Checkpoint& config, const Start& start)
    : store_(config.directory, {.base_every = config.base_every, .keep = config.keep}),
      fingerprint_(start.fingerprint),
      inputs_(start.inputs),
      every_steps_(config.every_steps),
      next_regular_(first_multiple_above(start.first_step, config.every_steps)) {}

Checkpoints::~Checkpoints() {
  if (writing_.valid()) writing_.wait();
}

void Checkpoints::request(std::uint64_t step) {
  if (durable_ == step) {
    settle(step, STOWAGE_OK);
  } else {
    requested_.insert(step);
  }
}

void Checkpoints::settle(std::uint64_t step, Status status) {
  requested_.erase(step);
  outcomes_.push_back({step, status});
}

void Checkpoints::take_note() {
  const bool wanted = requested_.contains(writing_step_);
  try {
    writing_.get();
    durable_ = writing_step_;
    if (wanted) settle(writing_step_, STOWAGE_OK);
  } catch (...) {
    const auto [status, message] = current_exception_status();
    log().error("the checkpoint of step {} was not written: {}", writing_step_, message);
    if (wanted) settle(writing_step_, status);
  }
}

std::optional<std::uint64_t> Checkpoints::next_due(const checkpoint::Ledger& ledger) {
  while (!requested_.empty() && *requested_.begin() < ledger.first_known()) {
    log().error("the checkpoint of step {} was asked for too late: the states before step {} are forgotten",
                *requested_.begin(), ledger.first_known());
    settle(*requested_.begin(), STOWAGE_STATE_ERROR);
  }
  if (!requested_.empty() && *requested_.begin() <= ledger.produced_steps()) return *requested_.begin();
  if (ledger.committed() < next_regular_) return std::nullopt;
  next_regular_ = first_multiple_above(ledger.committed(), every_steps_);
  const std::uint64_t step = std::max(next_regular_ - every_steps_, ledger.first_known());
  return durable_ == step ? std::nullopt : std::optional(step);
}

void Checkpoints::write(const checkpoint::Ledger& ledger, std::uint64_t step) {
  checkpoint::Checkpoint checkpoint{fingerprint_, ledger.state_at(step), inputs_};
  std::erase_if(checkpoint.inputs, [&](const checkpoint::Input& input) { return input.step > step; });
  writing_step_ = step;
  checkpoint::Encoded encoded = store_.encode(checkpoint);
  writing_ = std::async(std::launch::async,
                        [this, encoded = std::move(encoded)]() mutable { return store_.publish(std::move(encoded)); });
}

void Checkpoints::progress(const checkpoint::Ledger& ledger) {
  if (writing_.valid()) {
    if (writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    take_note();
  }
  if (const auto step = next_due(ledger)) write(ledger, *step);
}

void Checkpoints::finish(const checkpoint::Ledger& ledger) {
  const auto wait = [&] {
    if (!writing_.valid()) return;
    writing_.wait();
    take_note();
  };
  wait();
  while (const auto step = next_due(ledger)) {
    write(ledger, *step);
    wait();
  }
  if (durable_ == ledger.committed()) return;
  write(ledger, ledger.committed());
  wait();
  if (durable_ == ledger.committed()) return;
  fail(STOWAGE_IO_ERROR, "the last checkpoint, of step {}, was not written to {}", ledger.committed(), store_.folder());
}

}  // namespace stowage::loader
