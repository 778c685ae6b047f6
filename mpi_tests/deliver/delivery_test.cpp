// SPDX-License-Identifier: Apache-2.0
// One loader rank and its trainers: whichever way steps come, they are the same steps.
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <sstream>
#include <string>

#include "deliver/steps.hpp"
#include "support/errors.hpp"

namespace stowage::test {
namespace {

enum class Route { ring, both, messages };

struct Way {
  std::string name;
  Delivery delivery;
  Route expected;
};

class Ways : public testing::TestWithParam<Way> {};

TEST_P(Ways, GiveEveryTrainerTheSameStepsInOrder) {
  const World world;
  if (world.size() < 2) GTEST_SKIP() << "needs a trainer beside the loader";
  Delivery delivery = GetParam().delivery;
  delivery.replicas = std::min(delivery.replicas, static_cast<std::uint32_t>(world.size() - 1));

  if (world.rank() == 0) {
    const Delivery::Sent sent = delivery.load(world);
    const auto trainers = static_cast<std::uint64_t>(world.size() - 1);
    switch (GetParam().expected) {
      case Route::ring:
        EXPECT_EQ(sent.shared, delivery.bytes() * delivery.replicas) << "one copy a replica";
        EXPECT_EQ(sent.messages, 0U);
        break;
      case Route::both:
        EXPECT_GT(sent.messages, 0U);
        EXPECT_EQ(sent.shared * trainers + sent.messages * delivery.replicas,
                  delivery.bytes() * trainers * delivery.replicas)
            << "each step goes one way";
        break;
      case Route::messages:
        EXPECT_EQ(sent.messages, delivery.bytes() * trainers) << "one copy a trainer";
        EXPECT_EQ(sent.shared, 0U);
        break;
    }
  } else {
    const std::uint32_t replica = delivery.replica_of(world.rank());
    deliver::Client client(world.get(), static_cast<std::int32_t>(replica), 30);
    EXPECT_EQ(client.in_shared_memory(), GetParam().expected != Route::messages);

    EXPECT_EQ(consume(client, replica, 1 + static_cast<std::uint32_t>(world.rank()) % delivery.steps_held),
              delivery.steps);

    EXPECT_EQ(client.acquire(1), nullptr) << "the end is the end";
    client.close();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Delivery, Ways,
    testing::Values(
        Way{"Ring", {.replicas = 2}, Route::ring},
        // Blocks are up to 3 KiB: some fit, some find the rest taken, some are larger than all of it.
        Way{"RingTooSmallForSome", {.replicas = 2, .steps = 60, .shared_bytes = 2'048}, Route::both},
        Way{"RingTooSmallForAll", {.replicas = 1, .shared_bytes = 64}, Route::both},
        Way{"Messages", {.replicas = 2, .shared_bytes = 0}, Route::messages},
        Way{"MessagesToAnotherNode", {.replicas = 2, .pretend_remote = true}, Route::messages},
        Way{"MessagesWhereMemoryCannotBeHad", {.replicas = 2, .shared_bytes = std::uint64_t{1} << 60}, Route::messages},
        Way{"ManyHeld", {.replicas = 1, .steps = 40, .steps_held = 7}, Route::ring}),
    [](const auto& info) { return info.param.name; });

// The line of /proc/self/maps that holds the address: "begin-end permissions offset device inode path".
struct MappedAt {
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;  // of the address, in the file
  std::string permissions, path;

  explicit MappedAt(const void* address) {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      std::istringstream words(line);
      std::uint64_t begin = 0, end = 0;
      char dash = 0;
      std::string device;
      words >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> std::dec >> inode;
      std::getline(words, path);
      offset += at - begin;
      if (begin <= at && at < end) return;
    }
    inode = 0;
  }
};

TEST(Delivery, PeersReadTheVeryBytesThatTheLoaderWroteAndCannotWriteThem) {
  const World world;
  if (world.size() < 2) GTEST_SKIP() << "needs a trainer beside the loader";
  const Delivery delivery{.replicas = 1, .steps = 1};
  struct Seen {
    std::uint64_t inode = 0;
    std::uint64_t offset = 0;
  } mine;

  if (world.rank() == 0) {
    delivery.load(world, [&](deliver::Server& server, std::uint64_t) {
      if (mine.inode != 0) return;
      // An empty ring gives its lowest place again and again, so this is where step 0 will be built.
      const deliver::AlignedBuffer place = server.allocate(0, 64);
      const MappedAt at(place.bytes().data());
      EXPECT_EQ(at.permissions, "rw-s");
      mine = {at.inode, at.offset};
    });
  } else {
    deliver::Client client(world.get(), 0, 30);
    const deliver::StepView* view = client.acquire(20);
    const void* head = reinterpret_cast<const std::byte*>(view->step().micro_batches[0].tokens) -
                       (deliver::AlignedBuffer::kAlignment * 3);  // head and shape: 128, origin: 64
    const MappedAt at(head);
    EXPECT_EQ(at.permissions, "r--s");
    EXPECT_NE(at.path.find("/memfd:stowage"), std::string::npos) << at.path;
    mine = {at.inode, at.offset};
    client.release(view->step());
    client.close();
  }

  Seen loaders = mine;
  MPI_Bcast(&loaders, sizeof(loaders), MPI_BYTE, 0, world.get());
  EXPECT_EQ(mine.inode, loaders.inode);
  EXPECT_EQ(mine.offset, loaders.offset);
}

TEST(Delivery, StepsStayUntilTheSlowestPeerHasReleasedThem) {
  const World world;
  if (world.size() < 3) GTEST_SKIP() << "needs two trainers";
  const Delivery delivery{.replicas = 1, .steps = 12, .shared_bytes = 64 << 10};

  if (world.rank() == 0) {
    delivery.load(world);
    return;
  }
  deliver::Client client(world.get(), 0, 30);
  if (world.rank() == 1) {
    const deliver::StepView* first = client.acquire(20);
    // The others have all that the ring may hold ahead, and nothing more, as long as this one holds step 0.
    MPI_Barrier(client.communicator());
    EXPECT_EQ(deliver::step_digest(first->step()), digest_of(0, 0));
    client.release(first->step());
    for (std::uint64_t step = 1; step < delivery.steps; ++step) client.release(client.acquire(20)->step());
  } else {
    for (std::uint64_t step = 0; step < 4; ++step) client.release(client.acquire(20)->step());
    EXPECT_ERROR(client.acquire(0.2), STOWAGE_TIMEOUT, "step 4 did not come");
    MPI_Barrier(client.communicator());
    for (std::uint64_t step = 4; step < delivery.steps; ++step) client.release(client.acquire(20)->step());
  }
  EXPECT_EQ(client.acquire(20), nullptr);
  client.close();
}

TEST(Delivery, HoldsNoMoreThanAllowedAndReleasesInOrder) {
  const World world;
  if (world.size() < 2) GTEST_SKIP() << "needs a trainer beside the loader";
  const Delivery delivery{.replicas = 1, .steps = 5};

  if (world.rank() == 0) {
    delivery.load(world);
    return;
  }
  deliver::Client client(world.get(), 0, 30);
  const stowage_step& first = client.acquire(20)->step();
  const stowage_step& second = client.acquire(20)->step();
  EXPECT_ERROR(client.acquire(20), STOWAGE_STATE_ERROR, "at most 2 steps");
  EXPECT_ERROR(client.release(second), STOWAGE_STATE_ERROR, "expected step 0 first");
  client.release(first);
  client.release(second);
  client.close();
}

TEST(Delivery, AnErrorReachesATrainerThatPollsTheRing) {
  const World world;
  if (world.size() < 2) GTEST_SKIP() << "needs a trainer beside the loader";
  const Delivery delivery{.replicas = 1, .steps = 1'000};

  if (world.rank() == 0) {
    delivery.load(world, [failed = false](deliver::Server& server, std::uint64_t step) mutable {
      if (step != 6 || failed) return;
      failed = true;
      server.fail(STOWAGE_DATA_ERROR, "the hold is wet");
    });
    return;
  }
  deliver::Client client(world.get(), 0, 30);
  const auto use_all = [&] {
    while (const deliver::StepView* view = client.acquire(20)) client.release(view->step());
  };
  EXPECT_ERROR(use_all(), STOWAGE_DATA_ERROR, "the loaders reported: the hold is wet");
  client.close();
}

}  // namespace
}  // namespace stowage::test
