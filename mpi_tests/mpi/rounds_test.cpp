// SPDX-License-Identifier: Apache-2.0
#include "mpi/rounds.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "support/traffic.hpp"
#include "support/world.hpp"

namespace stowage::mpi {
namespace {

using test::Traffic;
using test::World;

class RoundsOf : public testing::TestWithParam<std::size_t> {};

TEST_P(RoundsOf, AllToAllDeliversEachPairsBytes) {
  const World world;
  for (const Traffic& traffic : test::awkward_traffic(world.size())) {
    const Bytes send = traffic.sent_by(world.rank());
    Bytes received(traffic.received_by(world.rank()).size());

    all_to_all(world.get(), send, traffic.send_sizes(world.rank()), received, traffic.receive_sizes(world.rank()),
               {{}, GetParam()});

    EXPECT_EQ(received, traffic.received_by(world.rank())) << traffic.name;
  }
}

TEST_P(RoundsOf, AllGatherDeliversEveryRanksBytesInOrder) {
  const World world;
  for (const Traffic& traffic : test::awkward_traffic(world.size())) {
    const auto sizes = traffic.send_sizes(0);
    Bytes expected;
    for (int r = 0; r < world.size(); ++r) {
      const Bytes part = traffic.part(0, r);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    Bytes all(expected.size());

    all_gather(world.get(), traffic.part(0, world.rank()), sizes, all, {{}, GetParam()});

    EXPECT_EQ(all, expected) << traffic.name;
  }
}

TEST_P(RoundsOf, GatherDeliversEveryRanksBytesInOrderToTheLastRankAlone) {
  const World world;
  const int root = world.size() - 1;
  for (const Traffic& traffic : test::awkward_traffic(world.size())) {
    const auto sizes = traffic.send_sizes(0);
    Bytes expected;
    for (int r = 0; r < world.size() && world.rank() == root; ++r) {
      const Bytes part = traffic.part(0, r);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    Bytes all(expected.size());

    gather(world.get(), root, traffic.part(0, world.rank()), sizes, all, {{}, GetParam()});

    EXPECT_EQ(all, expected) << traffic.name;
  }
}

TEST(Rounds, AGatheringTakesAMessageARankForEachDoublingOfWhatIsHeld) {
  const World world;
  const std::vector<std::uint64_t> sizes(static_cast<std::size_t>(world.size()), 9);
  std::vector<Sent> sent(sizes.size());
  Bytes all(9 * sizes.size());
  Rounds rounds;
  rounds.sent = sent;

  all_gather(world.get(), Bytes(9), sizes, all, rounds);

  Sent total;
  for (const Sent& to : sent) total = {total.messages + to.messages, total.bytes + to.bytes};
  EXPECT_EQ(total.messages, std::bit_width(sizes.size() - 1));
  EXPECT_EQ(total.bytes, 9 * (sizes.size() - 1));
}

TEST_P(RoundsOf, BroadcastReachesEveryRankFromEveryRoot) {
  const World world;
  for (int root = 0; root < world.size(); ++root) {
    for (const std::size_t size : {0U, 1U, 7U, 500U}) {
      const Bytes expected = test::pattern(static_cast<std::uint64_t>(root), size);
      Bytes data = world.rank() == root ? expected : Bytes(size);

      broadcast(world.get(), root, data, {{}, GetParam()});

      EXPECT_EQ(data, expected) << "root " << root << ", " << size << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, RoundsOf, testing::Values(16, 200, kRoundBytes));

TEST(Rounds, SizesThatDoNotAddUpAreRefusedBeforeAnyMessage) {
  const World world;
  const Bytes send(3);
  Bytes receive(3);
  const std::vector<std::uint64_t> sizes(static_cast<std::size_t>(world.size()), 2);

  EXPECT_THROW(all_to_all(world.get(), send, sizes, receive, sizes, {{}, kRoundBytes}), Error);
}

}  // namespace
}  // namespace stowage::mpi
