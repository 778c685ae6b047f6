// SPDX-License-Identifier: Apache-2.0
#include "loader/resume.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/frame.hpp"
#include "base/log.hpp"
#include "checkpoint/carry_over.hpp"
#include "checkpoint/load.hpp"
#include "loader/changes.hpp"
#include "loader/checkpoint_archive.hpp"
#include "loader/fingerprint.hpp"
#include "loader/policy.hpp"
#include "loader/step_stream.hpp"

namespace stowage::loader {
namespace {

constexpr std::uint32_t kVersion = 1;  // of a checkpoint in a message

// The checkpoint to go on from, if one is there. Call on one rank.
std::optional<checkpoint::Checkpoint> load(const Resume& resume) {
  if (resume.from == Resume::From::beginning || (resume.from == Resume::From::step && resume.step == 0)) return {};
  checkpoint::Wanted wanted;
  if (resume.from == Resume::From::step) wanted = {checkpoint::Wanted::Which::not_after, resume.step};
  std::optional<checkpoint::Loaded> loaded;
  if (!resume.directory.empty()) loaded = checkpoint::load(resume.directory, wanted);
  if (loaded) {
    log().info("going on from {}", loaded->generation.path);
    return std::move(loaded->checkpoint);
  }
  if (resume.from == Resume::From::step) {
    fail(STOWAGE_CONFIG_ERROR, "expected a checkpoint of step {} or before to go on from, found none in {}",
         resume.step,
         resume.directory.empty() ? "the configuration, which has no checkpoint.directory" : resume.directory);
  }
  return {};
}

// As the first rank was told.
Resume shared(const Resume& mine, exchange::Team& team) {
  struct Word {
    std::uint64_t step;
    Resume::From from;
    std::uint32_t accept_changes;
  };
  Word word{mine.step, mine.from, mine.accept_changes ? 1U : 0U};
  const exchange::Gathered all = team.all_gather(bytes_of(word));
  std::memcpy(&word, all.of(0).data(), sizeof(word));
  return {mine.directory, word.from, word.step, word.accept_changes != 0};
}

// The first rank's checkpoint, if it has one, on all.
std::optional<checkpoint::Checkpoint> share(const Resume& resume, exchange::Team& team) {
  std::optional<checkpoint::Checkpoint> mine;
  exchange::together(team, [&] {
    if (team.rank() == 0) mine = load(resume);
  });
  const Bytes message = mine ? frame::encode(*mine, kVersion) : Bytes{};
  const exchange::Gathered all = team.all_gather(message);
  if (all.of(0).empty()) return {};
  return frame::decode<checkpoint::Checkpoint>(all.of(0), kVersion, "the checkpoint from the first loader rank");
}

void refuse(const std::vector<Change>& changes, const checkpoint::Checkpoint& saved, const Resume& resume) {
  std::string text;
  for (const Change& change : changes) {
    if (change.effect == Effect::refused) text += "\n  " + change.text();
  }
  if (text.empty() || resume.accept_changes) return;
  fail(STOWAGE_CONFIG_ERROR,
       "the run cannot go on from step {} of {}, because the stream would be another one:{}\nrestore what differs, "
       "begin "
       "anew (--resume none), or go on nevertheless (--accept-changes)",
       saved.state.step, resume.directory, text);
}

void refuse_waiting_of_disabled(const config::Config& config, const checkpoint::IteratorState& state) {
  for (const checkpoint::Deferred& one : state.deferred) {
    const config::Source& source = config.sources[one.draw.source];
    if (!disabled(config, source)) continue;
    fail(STOWAGE_CONFIG_ERROR,
         "source '{}' has sequences that were drawn and wait for a later step (defer.steps), so it cannot be disabled "
         "at "
         "step {}; give it a small weight for that many steps first",
         source.name, state.step);
  }
}

std::vector<std::string> names_of(const checkpoint::Fingerprint& fingerprint) {
  std::vector<std::string> names;
  for (const checkpoint::Fingerprint::Source& source : fingerprint.sources) names.push_back(source.name);
  return names;
}

// `saved` as this run takes it over; start.fingerprint is this run's.
void take_over(checkpoint::Checkpoint saved, const Resume& resume, Start& start) {
  const std::vector<Change> changes = changes_between(saved.fingerprint, start.fingerprint);
  refuse(changes, saved, resume);
  start.inputs = std::move(saved.inputs);
  for (const Change& change : changes) {
    if (change.effect == Effect::none) continue;
    start.inputs.push_back(
        {saved.state.step, change.effect == Effect::input ? "configuration" : "accepted change", change.text()});
  }
  const bool new_stage = std::ranges::any_of(changes, [](const Change& change) { return change.mixture; });
  start.state = new_stage
                    ? checkpoint::carry_over(saved.state, names_of(saved.fingerprint), names_of(start.fingerprint))
                    : std::move(saved.state);
  start.fingerprint = with_known_data(std::move(start.fingerprint), saved.fingerprint);
}

}  // namespace

Resume resume_from(const config::Config& config, std::int64_t resume_step) {
  Resume resume;
  resume.directory = config.checkpoint.directory;
  resume.from = resume_step < 0 ? Resume::From::newest : Resume::From::step;
  resume.step = resume_step < 0 ? 0 : static_cast<std::uint64_t>(resume_step);
  return resume;
}

Resume agreed_with(const Resume& asked, const std::vector<std::int64_t>& resume_steps) {
  const auto [least, most] = std::ranges::minmax(resume_steps);
  if (least != most) {
    fail(STOWAGE_MPI_ERROR, "expected the same resume_step in the options of all trainers, found {} and {}", least,
         most);
  }
  if (least < 0) return asked;
  const auto step = static_cast<std::uint64_t>(least);
  const bool other = asked.from == Resume::From::step && asked.step != step;
  if (other || (asked.from == Resume::From::beginning && step != 0)) {
    fail(STOWAGE_MPI_ERROR,
         "the trainers want to go on with step {} (resume_step), the loaders were started with --resume {}", step,
         other ? fmt::format("{}", asked.step) : "none");
  }
  Resume resume = asked;
  resume.from = Resume::From::step;
  resume.step = step;
  return resume;
}

Start start_of(const config::Config& config, const Catalogue& catalogue, exchange::Team& team, const Resume& mine) {
  const Resume resume = shared(mine, team);
  std::optional<checkpoint::Checkpoint> saved = share(resume, team);
  Start start;
  start.fingerprint = fingerprint_of(config, catalogue);
  exchange::together(team, [&] {
    if (saved) {
      take_over(std::move(*saved), resume, start);
      refuse_waiting_of_disabled(config, start.state);
    } else {
      start.state = beginning(config, catalogue);
    }
  });
  start.first_step = resume.from == Resume::From::step ? resume.step : start.state.step;
  return start;
}

void go_forward(Pipeline& pipeline, checkpoint::Ledger& ledger, std::uint64_t first_step, const Explain& explain) {
  for (std::uint64_t step = ledger.produced_steps(); step < first_step; ++step) {
    std::optional<checkpoint::StepDelta> delta = pipeline.pass();
    if (!delta) {
      fail(STOWAGE_CONFIG_ERROR, "the run has {} steps, so it cannot go on from step {}", step, first_step);
    }
    ledger.commit(step);  // the team has agreed on this one, so that every rank knows those below it
    if (explain) explain(step, *delta);
    ledger.produced(std::move(*delta));
  }
}

}  // namespace stowage::loader
