// SPDX-License-Identifier: Apache-2.0
#include "deliver/shared_rings.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "support/errors.hpp"

namespace stowage::deliver {
namespace {

TEST(SharedMemory, ShowsAnotherMappingTheSameBytes) {
  const SharedMemory memory = SharedMemory::create(1 << 20);
  ASSERT_TRUE(memory.back(SharedMemory::page(), 100));
  Mapping written = memory.map(0, 1 << 20);
  std::memcpy(written.writable_bytes().data() + SharedMemory::page(), "cargo", 5);

  const SharedMemory other = SharedMemory::open(memory.place(), SharedMemory::Access::read);
  const Mapping read = other.map(SharedMemory::page(), 100);

  EXPECT_EQ(text_of(read.bytes().first(5)), "cargo");
}

TEST(SharedMemory, OpenedForReadingCannotBeMadeWritable) {
  const SharedMemory memory = SharedMemory::create(SharedMemory::page());
  Mapping read = SharedMemory::open(memory.place(), SharedMemory::Access::read).map(0, SharedMemory::page());

  EXPECT_EQ(mprotect(read.writable_bytes().data(), SharedMemory::page(), PROT_READ | PROT_WRITE), -1);
  EXPECT_EQ(errno, EACCES);
}

TEST(SharedMemory, OutlivesItsDescriptorAndHasNoName) {
  const auto names = [] {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      if (entry.path().filename().string().find("stowage") != std::string::npos) all.insert(entry.path());
    }
    return all;
  };
  const std::set<std::string> before = names();
  Mapping mapping;
  {
    const SharedMemory memory = SharedMemory::create(SharedMemory::page());
    mapping = memory.map(0, SharedMemory::page());
    EXPECT_EQ(names(), before);
  }

  mapping.writable_bytes()[0] = std::byte{1};
  EXPECT_EQ(mapping.bytes()[0], std::byte{1});
}

TEST(SharedMemory, TakesMemoryOnlyWhereItIsBacked) {
  const SharedMemory memory = SharedMemory::create(std::uint64_t{1} << 40);

  EXPECT_TRUE(memory.back(std::uint64_t{1} << 30, 3 * SharedMemory::page()));

  const auto place = memory.place();
  const auto path = "/proc/self/fd/" + std::to_string(place.descriptor);
  struct stat found {};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(static_cast<std::size_t>(found.st_blocks) * 512, 3 * SharedMemory::page());
}

TEST(SharedMemory, ThatCannotBeReachedIsAnError) {
  const SharedMemory memory = SharedMemory::create(SharedMemory::page());
  SharedMemory::Place elsewhere = memory.place();
  elsewhere.descriptor = 1'000'000;
  SharedMemory::Place another_size = memory.place();
  another_size.bytes += 1;

  EXPECT_ERROR(SharedMemory::open(elsewhere, SharedMemory::Access::read), STOWAGE_IO_ERROR, "cannot open /proc/");
  EXPECT_ERROR(SharedMemory::open(another_size, SharedMemory::Access::read), STOWAGE_IO_ERROR,
               "is not the shared memory");
}

// Growing a file past the limit would end the process by SIGXFSZ.
TEST(SharedMemory, BeyondTheLimitOfFileSizesIsAnErrorNotASignal) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit low{1 << 16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &low);

  EXPECT_ERROR(SharedMemory::create(1 << 20), STOWAGE_IO_ERROR, "ulimit -f");

  setrlimit(RLIMIT_FSIZE, &before);
}

TEST(SharedRings, GiveEachReplicaItsOwnRing) {
  SharedRings rings({{3, 1}, {5, 2}}, 4, 10'000);
  AlignedBuffer three = rings.of(3).allocate(100);
  AlignedBuffer five = rings.of(5).allocate(200);
  three.bytes()[0] = std::byte{3};
  five.bytes()[0] = std::byte{5};
  EXPECT_TRUE(rings.of(3).publish(three.bytes()));
  EXPECT_TRUE(rings.of(5).publish(five.bytes()));

  SharedRing third(rings.place(3, 0));
  SharedRing fifth(rings.place(5, 1));
  fifth.reader().release(1);

  EXPECT_EQ((*third.reader().block(0))[0], std::byte{3});
  EXPECT_EQ((*fifth.reader().block(0))[0], std::byte{5});
  EXPECT_EQ(rings.of(5).released(1), 1U);
  EXPECT_EQ(rings.of(5).released(0), 0U);
  EXPECT_EQ(rings.of(3).released(0), 0U);
}

TEST(SharedRings, RefuseAPlaceOfAnotherRing) {
  const SharedRings rings({{0, 1}, {1, 1}}, 4, 4096);
  RingPlace wrong = rings.place(1, 0);
  wrong.control_offset = rings.place(0, 0).control_offset;

  EXPECT_ERROR(SharedRing{wrong}, STOWAGE_INTERNAL_ERROR, "not the ring");
}

}  // namespace
}  // namespace stowage::deliver
