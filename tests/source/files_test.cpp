// SPDX-License-Identifier: Apache-2.0
// Reading, caching, naming and publishing of files.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "source/file_cache.hpp"
#include "source/input_file.hpp"
#include "source/output_file.hpp"
#include "source/shard.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::source {
namespace {

using test::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(InputFile, ReadsFromAnyOffset) {
  const TemporaryFolder folder;
  const InputFile file(folder.write("a", "0123456789"));
  Bytes out(4);

  file.read(3, out);

  EXPECT_EQ(text_of(out), "3456");
  EXPECT_EQ(file.size(), 10U);
}

TEST(InputFile, AShortReadNamesFileOffsetWantedAndGot) {
  const TemporaryFolder folder;
  const InputFile file(folder.write("a", "0123456789"));
  Bytes out(4);

  EXPECT_ERROR(file.read(8, out), STOWAGE_DATA_ERROR,
               file.path() + ": offset 8: wanted 4 bytes, got 2; the file ends too early");
}

TEST(InputFile, ANamedPipeIsRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);

  EXPECT_ERROR(InputFile{path}, STOWAGE_IO_ERROR, "expected a regular file, found something else");
}

TEST(FileCache, HoldsAtMostItsCapacity) {
  const TemporaryFolder folder;
  FileCache cache(3);

  for (int i = 0; i < 10; ++i) {
    const std::string name = std::to_string(i);
    Bytes out(1);
    pread_exact(cache.fd(folder.write(name, name)), name, 0, out);
    EXPECT_EQ(text_of(out), name);
  }

  EXPECT_EQ(cache.open_files(), 3U);
}

TEST(FileCache, ClosesTheLeastRecentlyUsedFirst) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "a"), b = folder.write("b", "b"), c = folder.write("c", "c");
  FileCache cache(2);
  cache.fd(a);
  cache.fd(b);
  cache.fd(a);
  cache.fd(c);  // in place of b
  std::filesystem::remove(a);
  std::filesystem::remove(b);

  EXPECT_NO_THROW(cache.fd(a));  // still open
  EXPECT_ERROR(cache.fd(b), STOWAGE_IO_ERROR, "cannot open " + b);
}

TEST(FileCache, AFileThatCannotBeOpenedLeavesTheCacheUsable) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "a");
  FileCache cache(1);

  EXPECT_THROW(cache.fd(folder.file("none")), Error);
  EXPECT_NO_THROW(cache.fd(a));
  EXPECT_EQ(cache.open_files(), 1U);
}

TEST(FileCache, AFileThatIsClosedIsOpenedAnew) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "old");
  FileCache cache(2);
  cache.fd(a);
  std::filesystem::remove(a);
  folder.write("a", "new");

  cache.close(a);
  cache.close(folder.file("never opened"));

  Bytes out(3);
  cache.file(a).read(0, out);
  EXPECT_EQ(text_of(out), "new");
  EXPECT_EQ(cache.open_files(), 1U);
}

TEST(FileCache, NeedsRoomForOneFile) {
  EXPECT_ERROR(FileCache{0}, STOWAGE_INVALID_ARGUMENT, "the number of open files must be >= 1, got 0");
}

TEST(ExpandPaths, PlainPathsStayAsTheyAreInTheirOrder) {
  EXPECT_EQ(expand_paths({"b", "/nowhere/a"}), (std::vector<std::string>{"b", "/nowhere/a"}));
}

TEST(ExpandPaths, GlobsGiveTheirMatchesSortedByBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"b.h5", "B.h5", "a.h5", "_.h5", "other.txt"}) folder.write(name, "");

  const std::vector<std::string> found = expand_paths({folder.file("*.h5")});

  EXPECT_EQ(found, (std::vector<std::string>{folder.file("B.h5"), folder.file("_.h5"), folder.file("a.h5"),
                                             folder.file("b.h5")}));
}

TEST(ExpandPaths, AGlobNamesEachPairOnce) {
  const TemporaryFolder folder;
  for (const char* name : {"x.idx", "x.bin", "y.idx", "y.bin", "lonely.bin"}) folder.write(name, "");

  const std::vector<std::string> found = expand_paths({folder.file("*")});

  EXPECT_EQ(found, (std::vector<std::string>{folder.file("lonely.bin"), folder.file("x.idx"), folder.file("y.idx")}));
}

TEST(ExpandPaths, AGlobMayMatchPrefixesOfPairs) {
  const TemporaryFolder folder;
  for (const char* name : {"x_document.idx", "x_document.bin"}) folder.write(name, "");

  EXPECT_EQ(expand_paths({folder.file("*_document")}), std::vector<std::string>{folder.file("x_document.idx")});
}

TEST(ExpandPaths, APrefixInAFolderWithGlobCharactersIsNoPattern) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "run[1]");
  folder.write("run[1]/pair.idx", "");

  EXPECT_EQ(expand_paths({folder.file("run[1]/pair")}), std::vector<std::string>{folder.file("run[1]/pair")});
}

TEST(ExpandPaths, AGlobThatMatchesNothingIsAnError) {
  const TemporaryFolder folder;

  EXPECT_ERROR(expand_paths({folder.file("*.h5")}), STOWAGE_IO_ERROR,
               folder.file("*.h5") + ": expected at least one matching file, found none; check the path");
}

TEST(ExpandPaths, AFileWhoseNameLooksLikeAGlobIsTakenLiterally) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a[1].h5", "");

  EXPECT_EQ(expand_paths({path}), std::vector<std::string>{path});
}

TEST(OutputFile, AppearsUnderItsNameOnlyWhenPublished) {
  const TemporaryFolder folder;
  OutputFile file(folder.file("out"));

  file.append(bytes_of(std::string_view("content")));
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  file.publish();

  Bytes out(7);
  InputFile(file.path()).read(0, out);
  EXPECT_EQ(text_of(out), "content");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(OutputFile, LeavesNothingBehindUnlessPublished) {
  const TemporaryFolder folder;

  {
    OutputFile file(folder.file("out"));
    file.append(bytes_of(std::string_view("content")));
    file.flush();
    EXPECT_EQ(files_in(folder), 1U);
  }

  EXPECT_EQ(files_in(folder), 0U);
}

TEST(OutputFile, PiecesOfAnySizeArriveInOrder) {
  const TemporaryFolder folder;
  OutputFile file(folder.file("out"));
  std::string expected;

  for (const std::size_t size : {1UL, 1048576UL, 0UL, 700000UL, 700000UL, 3000000UL, 5UL}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    file.append(bytes_of(std::string_view(piece)));
    expected += piece;
  }
  file.publish();

  const InputFile written(file.path());
  Bytes out(expected.size());
  ASSERT_EQ(written.size(), expected.size());
  written.read(0, out);
  EXPECT_TRUE(text_of(out) == expected);
}

TEST(OutputFile, AFolderThatDoesNotExistIsNamed) {
  EXPECT_ERROR(OutputFile{"/nowhere/at/all/out"}, STOWAGE_IO_ERROR,
               "cannot create /nowhere/at/all/out: No such file or directory");
}

// The limit on file sizes stands in for a full disk.
TEST(OutputFile, AWriteThatTheSystemRefusesIsAnError) {
  const TemporaryFolder folder;
  OutputFile file(folder.file("out"));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);

  file.append(bytes_of(std::string_view("0123456789")));
  EXPECT_NO_THROW(file.flush());
  EXPECT_ERROR(file.append(Bytes(2000000)), STOWAGE_IO_ERROR, "cannot write " + file.path() + ": File too large");

  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
}

}  // namespace
}  // namespace stowage::source
