// SPDX-License-Identifier: Apache-2.0
#include "read/cache_folder.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "base/error.hpp"
#include "read/cache_fixture.hpp"
#include "support/errors.hpp"
#include "support/plain_megatron.hpp"

namespace stowage::read::test {
namespace {

using stowage::test::TemporaryFolder;
using Room = CacheFolder::Room;

// Reserves room, whoever else does at the same time.
CacheFolder::Reservation reserve(const CacheFolder& folder, const FileIdentity& file) {
  while (true) {
    CacheFolder::Reservation reservation = folder.reserve(file);
    if (reservation.room != Room::locked) return reservation;
    std::this_thread::yield();
  }
}

// Makes a complete copy, of no particular content.
Room add_copy(const CacheFolder& folder, const FileIdentity& file) {
  const CacheFolder::Reservation reservation = reserve(folder, file);
  if (!reservation.copy) return reservation.room;
  reservation.copy->flush();
  while (!folder.publish(*reservation.copy)) std::this_thread::yield();
  return reservation.room;
}

// Nobody has used the copy for so long.
void age(const std::string& copy, std::chrono::minutes time) {
  std::filesystem::last_write_time(copy, std::filesystem::file_time_type::clock::now() - time);
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const std::string ending : {".shard", ".part"}) {
    for (const auto& path : files_in(folder, ending)) bytes += std::filesystem::file_size(path);
  }
  return bytes;
}

TEST(CacheFolder, ACopyIsThereOnceItIsPublished) {
  const TemporaryFolder scratch;
  const FileIdentity file = write(scratch, "data", 1000);
  const CacheFolder folder(scratch.file("a/cache"), 1000);
  const std::string copy = folder.path_of(file.key());

  const CacheFolder::Reservation reservation = folder.reserve(file);
  const bool before = folder.use(copy, 1000);
  const bool published = folder.publish(*reservation.copy);

  EXPECT_FALSE(before);
  EXPECT_TRUE(published);
  EXPECT_TRUE(folder.use(copy, 1000));
  EXPECT_FALSE(folder.use(copy, 999)) << "of another size it would be no copy of that file";
  EXPECT_EQ(folder.reserve(file).room, Room::present);
  EXPECT_EQ(std::filesystem::status(copy).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(CacheFolder, AFileIsCopiedByOneAtATime) {
  const TemporaryFolder scratch;
  const FileIdentity file = write(scratch, "data", 1000);
  const CacheFolder one(scratch.file("cache"), 10'000);
  const CacheFolder other(scratch.file("cache"), 10'000);

  CacheFolder::Reservation first = one.reserve(file);
  const Room meanwhile = other.reserve(file).room;
  first.copy.reset();  // gives up

  EXPECT_EQ(first.room, Room::given);
  EXPECT_EQ(meanwhile, Room::present);
  EXPECT_EQ(other.reserve(file).room, Room::given);
}

TEST(CacheFolder, AChangedFileHasAnotherCopy) {
  const TemporaryFolder scratch;
  const FileIdentity before = write(scratch, "data", 1000);
  std::filesystem::last_write_time(before.path,
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(1));

  const FileIdentity after = identify(before.path).value();

  EXPECT_EQ(after.size, before.size);
  EXPECT_NE(after.key(), before.key());
}

TEST(CacheFolder, ProcessesKeepTheBoundTogether) {
  constexpr int kProcesses = 4, kFiles = 40;
  const TemporaryFolder scratch;
  std::vector<FileIdentity> files;
  for (int i = 0; i < kFiles; ++i) files.push_back(write(scratch, "data" + std::to_string(i), 1000));
  std::vector<pid_t> processes;

  for (int p = 0; p < kProcesses; ++p) {
    processes.push_back(::fork());
    if (processes.back() != 0) continue;
    try {
      const CacheFolder folder(scratch.file("cache"), 10'500);
      for (const FileIdentity& file : files) add_copy(folder, file);
    } catch (const Error& error) {
      std::cerr << error.what() << '\n';
      ::_exit(1);
    }
    ::_exit(0);
  }

  for (const pid_t process : processes) {
    int status = -1;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(bytes_in(scratch.file("cache")), 10'000U) << "as many as fit, and none was removed meanwhile";
}

TEST(CacheFolder, PartialCopiesCountInFull) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 2500);

  const CacheFolder::Reservation first = folder.reserve(write(scratch, "a", 2000));

  EXPECT_EQ(folder.reserve(write(scratch, "b", 1000)).room, Room::full);
  EXPECT_EQ(folder.reserve(write(scratch, "c", 500)).room, Room::given);
}

TEST(CacheFolder, AFileLargerThanTheCacheIsNotCopied) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 999);

  EXPECT_EQ(folder.reserve(write(scratch, "data", 1000)).room, Room::full);
}

TEST(CacheFolder, CopiesUnusedForAnHourMakeRoomTheOldestFirst) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 3000);
  std::vector<std::string> copies;
  for (const char* name : {"a", "b", "c"}) {
    const FileIdentity file = write(scratch, name, 1000);
    add_copy(folder, file);
    copies.push_back(folder.path_of(file.key()));
  }
  age(copies[0], std::chrono::minutes(70));
  age(copies[1], std::chrono::minutes(90));
  age(copies[2], std::chrono::minutes(50));

  EXPECT_EQ(add_copy(folder, write(scratch, "d", 1000)), Room::given);

  EXPECT_TRUE(std::filesystem::exists(copies[0]));
  EXPECT_FALSE(std::filesystem::exists(copies[1])) << "unused longest";
  EXPECT_EQ(add_copy(folder, write(scratch, "e", 2000)), Room::full) << "what would not help is not removed";
  EXPECT_TRUE(std::filesystem::exists(copies[0]));
}

TEST(CacheFolder, UseKeepsACopy) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 1000);
  const FileIdentity file = write(scratch, "a", 1000);
  add_copy(folder, file);
  age(folder.path_of(file.key()), std::chrono::minutes(90));

  EXPECT_TRUE(folder.use(folder.path_of(file.key()), 1000));

  EXPECT_EQ(add_copy(folder, write(scratch, "b", 1000)), Room::full);
}

TEST(CacheFolder, LeftoversOfDeadProcessesAreRemovedAtTheNextStart) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 10'000);
  const CacheFolder::Reservation alive = folder.reserve(write(scratch, "a", 1000));
  const FileIdentity file = write(scratch, "b", 1000);
  const pid_t process = ::fork();
  if (process == 0) {
    const CacheFolder::Reservation reservation = folder.reserve(file);
    ::_exit(reservation.copy ? 0 : 1);  // without an orderly end
  }
  int status = -1;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  ASSERT_EQ(status, 0);
  const std::string foreign = scratch.write("cache/somebody.part", "else's");
  ASSERT_EQ(files_in(folder.directory(), ".part").size(), 3U);

  const CacheFolder next(folder.directory(), 10'000);

  EXPECT_EQ(files_in(folder.directory(), ".part").size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_TRUE(next.publish(*alive.copy)) << "one that is at work is left alone";
}

TEST(CacheFolder, WhatOnlyLooksLikeACopyIsReplaced) {
  const TemporaryFolder scratch;
  const CacheFolder folder(scratch.file("cache"), 10'000);
  const FileIdentity file = write(scratch, "a", 1000);
  const std::string copy = folder.path_of(file.key());
  std::filesystem::create_symlink(file.path, copy);

  const bool used = folder.use(copy, 1000);

  EXPECT_FALSE(used);
  EXPECT_EQ(add_copy(folder, file), Room::given);
  EXPECT_TRUE(folder.use(copy, 1000));
  EXPECT_TRUE(std::filesystem::exists(file.path));
}

TEST(CacheFolder, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder scratch;
  const std::string file = scratch.write("file", "no folder");

  EXPECT_ERROR(CacheFolder(file + "/cache", 1000), STOWAGE_IO_ERROR, "cannot make the folder " + file + "/cache");
}

}  // namespace
}  // namespace stowage::read::test
