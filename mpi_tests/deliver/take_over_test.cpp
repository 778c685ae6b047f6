// SPDX-License-Identifier: Apache-2.0
// A loader rank stops for good, and another one serves its trainers from then on.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "deliver/steps.hpp"

namespace stowage::test {
namespace {

using mpi::Deadline;
using mpi::Seconds;

struct Case {
  std::string name;
  bool first_in_ring;
  bool second_in_ring;
  std::uint64_t stops_at;  // steps that the first one offers
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

// Rank 0 serves first, the last rank takes over, those between train one replica.
class TakeOver : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::uint64_t kSteps = 20;
  static constexpr std::uint32_t kHeld = 2;
  static constexpr std::uint32_t kAhead = 2;
  static constexpr int kHandOver = 1;  // tag of the first step that the second one has to offer

  std::vector<deliver::Served> served(const std::vector<int>& trainers, bool in_ring) const {
    std::vector<deliver::Served> all;
    for (const int rank : trainers) {
      deliver::Served& one = all.emplace_back();
      one.rank = rank;
      one.same_node = in_ring;
      one.job.steps_held = kHeld;
      one.job.acquire_seconds = 20;
      one.job.survives = true;
    }
    return all;
  }

  void offer(deliver::Server& server, std::uint64_t step) {
    const auto allocate = [&](std::size_t bytes) { return server.allocate(0, bytes); };
    server.offer(0, block_of(0, step, Delivery::length(step), allocate));
  }

  template <typename Done>
  void serve_until(deliver::Server& server, Done&& done) {
    const Deadline deadline = Deadline::after(Seconds(20));
    mpi::Backoff backoff;
    while (!done() && !deadline.passed()) {
      server.progress();
      backoff.pause();
    }
    EXPECT_TRUE(done());
  }

  // Offers some steps and stops in the middle of things.
  void serve_first(const World& world, const mpi::Job& job) {
    for (const int rank : job.trainer_ranks) {
      deliver::Register hello;
      mpi::Request::receive(job.world.get(), std::as_writable_bytes(std::span(&hello, 1)), rank, deliver::kTagRegister)
          .wait({}, Deadline::after(Seconds(20)), "a registration");
    }
    deliver::Server server(job.world.get(), served(job.trainer_ranks, GetParam().first_in_ring), kAhead, 1 << 20);
    for (std::uint64_t step = 0; step < GetParam().stops_at; ++step) {
      serve_until(server, [&] { return server.has_room(step); });
      offer(server, step);
      server.progress();
    }
    const std::uint64_t released = server.released();
    MPI_Send(&released, 1, MPI_UINT64_T, world.size() - 1, kHandOver, world.get());
    world.barrier();  // until all is over
  }

  void serve_second(const World& world, const mpi::Job& job, Seconds pause = Seconds(0)) {
    deliver::Server server(job.world.get(), {}, kAhead, 1 << 20);
    std::uint64_t first = 0;
    MPI_Recv(&first, 1, MPI_UINT64_T, 0, kHandOver, world.get(), MPI_STATUS_IGNORE);
    const Deadline paused = Deadline::after(pause);
    serve_until(server, [&] { return paused.passed(); });
    server.adopt(served(job.trainer_ranks, GetParam().second_in_ring), first, 1);
    for (std::uint64_t step = first; step < kSteps; ++step) {
      serve_until(server, [&] { return server.has_room(step); });
      EXPECT_TRUE(server.needs(0, step));
      offer(server, step);
    }
    server.end(kSteps);
    EXPECT_TRUE(server.wait_closed({}, Deadline::after(Seconds(20))));
    world.barrier();
  }
};

TEST_P(TakeOver, TrainersGetEveryStepOnceAndInOrder) {
  const World world;
  if (world.size() < 3) GTEST_SKIP() << "needs two loader ranks and a trainer";
  const bool loads = world.rank() == 0 || world.rank() == world.size() - 1;
  if (loads) {
    const mpi::Job job = mpi::split_job(world.get(), mpi::Role::loader, Seconds(30));
    world.rank() == 0 ? serve_first(world, job) : serve_second(world, job);
    return;
  }
  deliver::Client client(world.get(), 0, 30);
  const std::uint32_t hold = 1 + static_cast<std::uint32_t>(world.rank()) % kHeld;

  const std::uint64_t steps = consume(client, 0, hold);

  EXPECT_EQ(steps, kSteps);
  client.close();
  world.barrier();
}

TEST_P(TakeOver, ATrainerThatLeavesMeanwhileIsNotWaitedFor) {
  const World world;
  if (world.size() < 3) GTEST_SKIP() << "needs two loader ranks and a trainer";
  const bool loads = world.rank() == 0 || world.rank() == world.size() - 1;
  if (loads) {
    const mpi::Job job = mpi::split_job(world.get(), mpi::Role::loader, Seconds(30));
    // Where the first one's steps are all in the ring, trainers have left by the time of the take-over.
    world.rank() == 0 ? serve_first(world, job) : serve_second(world, job, Seconds(0.3));
    return;
  }
  deliver::Client client(world.get(), 0, 30);
  const std::uint64_t most = GetParam().stops_at;
  for (std::uint64_t step = 0; step < most; ++step) client.release(client.acquire(20)->step());

  const auto began = std::chrono::steady_clock::now();
  client.close();

  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5))
      << "the good-bye came from the other one";
  world.barrier();
}

INSTANTIATE_TEST_SUITE_P(Ways, TakeOver,
                         testing::Values(Case{"RingToRing", true, true, 9}, Case{"RingToMessages", true, false, 9},
                                         Case{"MessagesToRing", false, true, 9},
                                         Case{"MessagesToMessages", false, false, 9},
                                         Case{"BeforeTheFirstStep", true, true, 0}),
                         name_of);

}  // namespace
}  // namespace stowage::test
