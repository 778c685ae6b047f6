// SPDX-License-Identifier: Apache-2.0
// Step blocks whose content is a function of replica and step, and a job of trainers and loaders that deliver them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "deliver/client.hpp"
#include "deliver/server.hpp"
#include "deliver/step_block.hpp"
#include "deliver/step_digest.hpp"
#include "support/world.hpp"

namespace stowage::test {

// One micro-batch of `length` tokens.
inline deliver::AlignedBuffer block_of(std::uint32_t replica, std::uint64_t step, std::uint32_t length,
                                       const deliver::Allocate& allocate = deliver::from_heap) {
  deliver::BlockHead head;
  head.step = step;
  head.replica = replica;
  const deliver::MicroShape shape{length, 1, length, static_cast<std::int32_t>(length)};
  deliver::StepBlock block(head, std::span(&shape, 1), allocate);
  const deliver::MicroArrays to = block.micro_batch(0);
  for (std::uint32_t i = 0; i < length; ++i) {
    to.tokens[i] = static_cast<std::int64_t>(step * 1'000'003 + replica * 1'009 + i);
    to.labels[i] = to.tokens[i] + 1;
    to.position_ids[i] = i;
    to.loss_mask[i] = 1.0F;
  }
  to.origin[0] = {
      .sequence = step, .epoch = 0, .begin = 0, .source = replica, .piece = 0, .tokens = length, .reserved = 0};
  to.cu_seqlens[0] = to.cu_seqlens_padded[0] = 0;
  to.cu_seqlens[1] = to.cu_seqlens_padded[1] = static_cast<std::int32_t>(length);
  return std::move(block).take();
}

// Rank 0 loads, all others train. Replica of a trainer: (world rank - 1) % replicas.
struct Delivery {
  std::uint32_t replicas = 1;
  std::uint64_t steps = 20;
  std::uint32_t steps_held = 2;
  std::uint64_t shared_bytes = std::uint64_t{1} << 20;
  bool pretend_remote = false;  // the loader takes the trainers for those of another node

  // Uneven, so that places vary.
  static std::uint32_t length(std::uint64_t step) { return 1 + static_cast<std::uint32_t>(step * 37 % 101); }

  std::uint32_t replica_of(int world_rank) const { return static_cast<std::uint32_t>(world_rank - 1) % replicas; }

  struct Sent {
    std::uint64_t shared = 0;
    std::uint64_t messages = 0;
  };

  // The loader's part, from start-up to farewell. each_turn(server, steps offered) may throw.
  template <typename EachTurn>
  Sent load(const World& world, EachTurn&& each_turn) const {
    const mpi::Job job = mpi::split_job(world.get(), mpi::Role::loader, mpi::Seconds(30));
    std::vector<deliver::Served> served;
    for (std::size_t t = 0; t < job.trainer_ranks.size(); ++t) {
      deliver::Register hello;
      mpi::Request request = mpi::Request::receive(job.world.get(), std::as_writable_bytes(std::span(&hello, 1)),
                                                   job.trainer_ranks[t], deliver::kTagRegister);
      request.wait({}, mpi::Deadline::after(mpi::Seconds(30)), "a registration");
      deliver::Served& one = served.emplace_back();
      one.rank = job.trainer_ranks[t];
      one.same_node = !pretend_remote;
      one.job.replica = static_cast<std::uint32_t>(hello.replica);
      one.job.steps_held = steps_held;
      one.job.acquire_seconds = 20;
    }
    deliver::Server server(job.world.get(), std::move(served), 2, shared_bytes);
    mpi::Backoff backoff;
    for (std::uint64_t step = 0; step < steps && !server.all_closed();) {
      server.progress();
      each_turn(server, step);
      if (!server.has_room(step)) {
        backoff.pause();
        continue;
      }
      for (std::uint32_t replica = 0; replica < replicas; ++replica) {
        const auto allocate = [&](std::size_t bytes) { return server.allocate(replica, bytes); };
        server.offer(replica, block_of(replica, step, length(step), allocate));
      }
      ++step;
    }
    server.end(steps);
    server.wait_closed({}, mpi::Deadline::after(mpi::Seconds(30)));
    return {server.bytes_shared(), server.bytes_sent()};
  }

  Sent load(const World& world) const {
    return load(world, [](deliver::Server&, std::uint64_t) {});
  }

  // Bytes of all steps of one replica.
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (std::uint64_t step = 0; step < steps; ++step) sum += block_of(0, step, length(step)).size();
    return sum;
  }
};

inline Digest digest_of(std::uint32_t replica, std::uint64_t step) {
  return deliver::step_digest(deliver::StepView(block_of(replica, step, Delivery::length(step))).step());
}

// A trainer's part: acquires until the end, holding up to `hold` steps, and checks each.
inline std::uint64_t consume(deliver::Client& client, std::uint32_t replica, std::uint32_t hold) {
  std::deque<const stowage_step*> held;
  std::uint64_t next = 0;
  while (const deliver::StepView* view = client.acquire(20)) {
    EXPECT_EQ(view->step().step, next);
    EXPECT_EQ(deliver::step_digest(view->step()), digest_of(replica, next));
    ++next;
    held.push_back(&view->step());
    if (held.size() < hold) continue;
    EXPECT_EQ(deliver::step_digest(*held.front()), digest_of(replica, held.front()->step)) << "changed while held";
    client.release(*held.front());
    held.pop_front();
  }
  for (const stowage_step* step : held) client.release(*step);
  return next;
}

}  // namespace stowage::test
