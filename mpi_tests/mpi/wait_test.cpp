// SPDX-License-Identifier: Apache-2.0
#include "mpi/wait.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/error.hpp"
#include "mpi/request.hpp"
#include "support/world.hpp"

namespace stowage::mpi {
namespace {

using test::World;

constexpr int kTag = 7;

TEST(Wait, ADeadlineThatPassesNamesWhatWasWaitedFor) {
  const World world;
  std::array<std::byte, 1> buffer{};
  Request request = Request::receive(world.get(), buffer, world.rank(), kTag);

  try {
    request.wait({}, Deadline::after(Seconds(0.05)), "a letter that nobody wrote");
    FAIL() << "the wait ended without a message";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), STOWAGE_TIMEOUT);
    EXPECT_EQ(std::string(error.what()), "waited 0.1 s for a letter that nobody wrote, which did not come");
  }
}

TEST(Wait, TheIdleHookRunsAndCanEndTheWait) {
  const World world;
  std::array<std::byte, 1> buffer{};
  Request request = Request::receive(world.get(), buffer, world.rank(), kTag);
  int looks = 0;

  const auto wait = [&] {
    request.wait(
        [&] {
          if (++looks == 100) fail(STOWAGE_PEER_LOST, "gone");
        },
        Deadline::never(), "nothing");
  };

  EXPECT_THROW(wait(), Error);
  EXPECT_EQ(looks, 100);
}

TEST(Wait, ACancelledReceiveDoesNotTakeALaterMessage) {
  const World world;
  std::array<std::byte, 1> abandoned{std::byte{1}};
  std::array<std::byte, 1> wanted{};
  const std::array<std::byte, 1> sent{std::byte{9}};
  { const Request given_up = Request::receive(world.get(), abandoned, world.rank(), kTag); }

  std::array<Request, 2> requests{Request::receive(world.get(), wanted, MPI_ANY_SOURCE, kTag),
                                  Request::send(world.get(), sent, world.rank(), kTag)};
  wait(requests, {}, Deadline::after(Seconds(10)), "a message to oneself");

  EXPECT_EQ(wanted, sent);
  EXPECT_EQ(abandoned[0], std::byte{1});
  EXPECT_EQ(requests[0].source(), world.rank());
  EXPECT_EQ(requests[0].received_bytes(), 1U);
}

TEST(Wait, ASendThatNobodyWaitsForArrives) {
  const World world;
  const Bytes sent(std::size_t{4} << 20, std::byte{5});  // beyond what MPI takes at once
  Bytes received(sent.size());

  { const Request given_up = Request::send(world.get(), sent, (world.rank() + 1) % world.size(), kTag); }
  MPI_Barrier(world.get());  // before anybody receives
  Request request = Request::receive(world.get(), received, MPI_ANY_SOURCE, kTag);
  request.wait({}, Deadline::after(Seconds(10)), "a message");

  EXPECT_EQ(received, sent);
  MPI_Barrier(world.get());  // `sent` is needed until the other rank has it
}

TEST(Wait, AMessageThatIsTooLongIsAnErrorWithMpisReason) {
  const World world;
  if (world.size() == 1) GTEST_SKIP() << "Open MPI 4.1 overlooks it in a message to oneself";
  std::array<std::byte, 1> small{};
  const std::array<std::byte, 3> large{};

  Request request = Request::receive(world.get(), small, MPI_ANY_SOURCE, kTag);
  Request sent = Request::send(world.get(), large, (world.rank() + 1) % world.size(), kTag);

  try {
    request.wait({}, Deadline::after(Seconds(10)), "a message");
    FAIL() << "a truncated message went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), STOWAGE_MPI_ERROR);
    EXPECT_NE(std::string(error.what()).find("TRUNCATE"), std::string::npos) << error.what();
  }
}

TEST(Deadline, ACenturyIsForEver) {
  EXPECT_FALSE(Deadline::after(Seconds(1e12)).passed());
  EXPECT_TRUE(Deadline::after(Seconds(0)).passed());
}

}  // namespace
}  // namespace stowage::mpi
