// SPDX-License-Identifier: Apache-2.0
#include "h5/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "h5/attribute.hpp"
#include "h5/dataset.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace stowage::h5 {
namespace {

using test::TemporaryFolder;

void write_sample(const std::string& path) {
  File file = File::create(path);
  write_attribute({file.id(), path}, "answer", std::uint64_t{42});
  {
    const GroupId group = create_group(file, "/group");
    const std::vector<std::int32_t> values{1, 2, 3};
    const DatasetId dataset = write_array<std::int32_t>(file, "/group/values", values);
  }
  file.close();
}

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// An exclusive lock that another program might hold.
class Lock {
 public:
  explicit Lock(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY)) { ::flock(fd_, LOCK_EX); }
  ~Lock() { ::close(fd_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

// HDF5 reads the environment when it starts.
void restart_hdf5_with_locking(const char* value) {
  H5close();
  if (value != nullptr) {
    ::setenv("HDF5_USE_FILE_LOCKING", value, 1);
  } else {
    ::unsetenv("HDF5_USE_FILE_LOCKING");
  }
  H5open();
}

TEST(File, AMissingFileIsAnIoError) {
  const TemporaryFolder folder;

  EXPECT_ERROR(File::open_read(folder.file("none.h5")), STOWAGE_IO_ERROR, "No such file or directory");
}

TEST(File, AFileOfAnotherKindIsADataError) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text.h5", std::string(4096, 'x'));

  EXPECT_ERROR(File::open_read(path), STOWAGE_DATA_ERROR, path + ": cannot open: HDF5: file signature not found");
}

TEST(File, ATruncatedFileIsADataErrorWithBothSizes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("cut.h5");
  write_sample(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);

  EXPECT_ERROR(File::open_read(path), STOWAGE_DATA_ERROR, path + ": cannot open: HDF5: truncated file: eof = ");
}

TEST(File, TheSameCallsGiveTheSameBytesAtAnotherTime) {
  const TemporaryFolder folder;

  write_sample(folder.file("first.h5"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // time stamps of HDF5 count seconds
  write_sample(folder.file("second.h5"));

  EXPECT_EQ(content_of(folder.file("first.h5")), content_of(folder.file("second.h5")));
}

TEST(File, IsOpenedThoughAnotherProgramHoldsALock) {
  const TemporaryFolder folder;
  const std::string path = folder.file("locked.h5");
  write_sample(path);
  const Lock lock(path);

  EXPECT_NO_THROW(File::open_read(path));
}

TEST(File, TheMessageOfARefusedLockNamesTheVariableThatTurnsLocksOff) {
  const TemporaryFolder folder;
  const std::string path = folder.file("locked.h5");
  write_sample(path);
  const Lock lock(path);

  restart_hdf5_with_locking("TRUE");
  EXPECT_ERROR(File::open_read(path), STOWAGE_DATA_ERROR,
               "; set the environment variable HDF5_USE_FILE_LOCKING=FALSE if the file system has no locks");
  restart_hdf5_with_locking(nullptr);
}

}  // namespace
}  // namespace stowage::h5
