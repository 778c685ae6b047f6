// SPDX-License-Identifier: Apache-2.0
// What the loader ranks that are left do when one is lost: agree on who is left and on the committed state, give the
// lost one's place to a shadow, make all steps from there once more, and serve its trainers. Steps are a function of
// the state, so that trainers cannot tell the difference.
#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "base/assert.hpp"
#include "base/fault_point.hpp"
#include "base/frame.hpp"
#include "base/log.hpp"
#include "base/narrow.hpp"
#include "loader/loader_rank.hpp"

namespace stowage::loader {
namespace {

// What each rank knows when it comes to a take-over; some may have been in a later one than others.
struct Known {
  static constexpr std::uint32_t kVersion = 1;
  Crew crew;
  std::uint64_t committed = 0;

  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& crew& committed;
  }
};

// The places of numbers in the list of those that live.
std::vector<int> places_in(const std::vector<int>& living, const std::vector<int>& numbers) {
  std::vector<int> places;
  for (const int number : numbers) {
    places.push_back(static_cast<int>(std::ranges::lower_bound(living, number) - living.begin()));
  }
  return places;
}

}  // namespace

void LoaderRank::take_over() {
  while (true) {
    try {
      const auto began = std::chrono::steady_clock::now();
      const Membership::View view = membership_->view();
      keep_statistics();
      fence_lost();
      join_the_living(view);
      const Crew next = agree_on_crew(view);
      fault_point("taking_over");
      form(view, next);
      if (team_) {
        exchange::together(*team_, [&] { catalogue_->share_anew(config_, team_->rank(), team_->size()); });
      }
      all_->agree({});  // from here on `next` stands, also for those who do not hear of it

      crew_ = next;
      ledger_->rewind();
      const std::uint64_t counted = step_;
      make_pipeline(ledger_->state());
      if (pipeline_) pipeline_->count_plans_from(counted);
      server_->adopt(served_here(), std::max(step_, start_.first_step), crew_.lost);
      if (first()) saving_.write_in_place(config_, start_);
      if (first()) {
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
        log().info("{} loader ranks work and {} stand by, from step {} on; the take-over took {:.1f} ms",
                   crew_.active.size(), crew_.shadows.size(), step_, took.count());
      }
      return;
    } catch (const LoadersLost&) {
      // One more: once again, without it.
    }
  }
}

// A rank that was only stopped must not wake up, nor keep the job from ending.
void LoaderRank::fence_lost() {
  for (int number = 0; number < job_.peers.size(); ++number) {
    if (membership_->lost(number)) lifelines_->fence(number);
  }
}

// What the old pipeline has counted; the pipeline and its team are of no further use.
void LoaderRank::keep_statistics() {
  if (!pipeline_) return;
  plan_statistics_ += pipeline_->plan_statistics();
  rank_statistics_ += pipeline_->rank_statistics();
  pipeline_.reset();
}

void LoaderRank::join_the_living(const Membership::View& view) {
  std::vector<int> world_ranks;
  for (const int number : view.living) world_ranks.push_back(job_.loader_ranks[static_cast<std::size_t>(number)]);
  alarm_.set_ranks(world_ranks);
  heartbeat_ = std::make_unique<Heartbeat>(job_.world.get(), world_ranks, job_.world.rank(),
                                           mpi::Seconds(config_.limits.peer_seconds));
  team_.reset();
  all_ = exchange::make_mpi_team(mpi::Group(job_.peers.get(), view.living, view.space));
  all_->set_idle([this] { idle(); });
}

Crew LoaderRank::agree_on_crew(const Membership::View& view) {
  const exchange::Gathered gathered =
      all_->all_gather(frame::encode(Known{crew_, ledger_->committed()}, Known::kVersion));
  Known latest;
  for (int rank = 0; rank < all_->size(); ++rank) {
    auto known = frame::decode<Known>(gathered.of(rank), Known::kVersion, "what a loader rank knows");
    latest.committed = std::max(latest.committed, known.committed);
    if (rank == 0 || known.crew.lost > latest.crew.lost) latest.crew = std::move(known.crew);
  }
  // Whoever has committed a step has agreed on it with all that worked, and the shadows had acknowledged it before.
  STOWAGE_ASSERT(kAssertLight, latest.committed <= ledger_->produced_steps(),
                 "step {} is committed, {} is all that is known", latest.committed, ledger_->produced_steps());
  ledger_->commit(latest.committed);
  return after_loss(latest.crew, view.living, nodes_);
}

// The teams of a view: those who work, and what they tell the shadows.
void LoaderRank::form(const Membership::View& view, const Crew& crew) {
  if (crew.works(number_)) {
    team_ = exchange::make_mpi_team(mpi::Group(job_.peers.get(), crew.active, view.space + 1));
    team_->set_idle([this] { idle(); });
    if (config_.exchange == config::Exchange::by_node) {
      std::vector<int> nodes;
      for (const int number : crew.active) nodes.push_back(nodes_[static_cast<std::size_t>(number)]);
      team_->route_by_node(nodes);
    }
  }
  shadowing_ = std::make_unique<Shadowing>(mpi::Group(job_.peers.get(), view.living, view.space),
                                           places_in(view.living, crew.active), places_in(view.living, crew.shadows),
                                           [this] { idle(); });
}

}  // namespace stowage::loader
