// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/log.hpp"
#include "source/system_error.hpp"

namespace stowage::checkpoint {
namespace {

std::string this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("process {} on host {}", ::getpid(), host.data());
}

std::string read_holder(int fd) {
  std::array<char, 512> text{};
  const ssize_t bytes = ::pread(fd, text.data(), text.size(), 0);
  std::string holder(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  holder.resize(holder.find_last_not_of('\n') + 1);
  return holder.empty() ? "an unknown process" : holder;
}

// For people; that it could not be written is no reason to go without checkpoints.
void write_holder(int fd) noexcept {
  const std::string text = this_process() + "\n";
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

int lock(int fd) {
  int result = 0;
  do {
    result = ::flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

WriterLock::WriterLock(const std::string& folder) : path_(folder + "/writer.lock") {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) source::fail_with_errno("open", path_);
  const int code = lock(fd_) == 0 ? 0 : errno;
  held_ = code == 0;
  if (held_) {
    write_holder(fd_);
    return;
  }
  if (code == EWOULDBLOCK) {
    const std::string holder = read_holder(fd_);
    ::close(fd_);
    fail(STOWAGE_STATE_ERROR,
         "{}: expected no other writer of checkpoints in this folder, found {}; wait until it has ended, or choose "
         "another folder",
         path_, holder);
  }
  log().warn("{}: this file system has no locks ({}): make sure that no other job writes checkpoints to {}", path_,
             std::generic_category().message(code), folder);
}

WriterLock::~WriterLock() {
  ::close(fd_);
}

}  // namespace stowage::checkpoint
