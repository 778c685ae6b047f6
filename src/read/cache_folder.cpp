// SPDX-License-Identifier: Apache-2.0
#include "read/cache_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "source/system_error.hpp"

namespace stowage::read {
namespace {

constexpr std::string_view kPrefix = "stowage-";
constexpr std::string_view kComplete = ".shard";
constexpr std::string_view kPartial = ".part";
constexpr std::size_t kKeyLetters = 32;
constexpr std::time_t kMarkEvery = 10 * 60;  // seconds
constexpr std::time_t kUnused = 60 * 60;     // seconds; some times kMarkEvery

class FolderLock {
 public:
  // Throws STOWAGE_IO_ERROR if the file system has no locks.
  explicit FolderLock(const std::string& directory) {
    const std::string path = directory + "/stowage.lock";
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ < 0) source::fail_with_errno("open", path);
    held_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
    if (held_ || errno == EWOULDBLOCK || errno == EINTR) return;
    const int code = errno;
    ::close(fd_);
    errno = code;
    source::fail_with_errno("lock", path);
  }
  ~FolderLock() { ::close(fd_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool held() const noexcept { return held_; }

 private:
  int fd_ = -1;
  bool held_ = false;
};

struct Entry {
  std::string path;
  std::uint64_t bytes = 0;
  std::time_t used = 0;
  bool complete = false;
};

// A regular file of this user.
bool look_at(const std::string& path, struct stat& status) noexcept {
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

bool is_ours(std::string_view name, std::string_view ending) {
  return name.size() == kPrefix.size() + kKeyLetters + ending.size() && name.starts_with(kPrefix) &&
         name.ends_with(ending);
}

// What of ours is in the folder. Partial copies that nobody is at work on are removed first. Needs the lock.
std::vector<Entry> tidied(const std::string& directory) {
  std::vector<Entry> entries;
  std::error_code error;
  std::filesystem::directory_iterator file(directory, error);
  for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
    const std::string name = file->path().filename().string();
    const bool partial = is_ours(name, kPartial);
    if (!partial && !is_ours(name, kComplete)) continue;
    const std::string path = file->path().string();
    if (partial && !is_being_copied(path)) {
      ::unlink(path.c_str());
      continue;
    }
    struct stat status {};
    if (!look_at(path, status)) continue;
    entries.push_back({path, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, !partial});
  }
  if (error) fail(STOWAGE_IO_ERROR, "cannot list {}: {}", directory, error.message());
  return entries;
}

// Makes the entries take at most `bytes` by removing unused copies; false, and nothing removed, if that cannot be.
bool make_room(std::vector<Entry> entries, std::uint64_t bytes) {
  std::uint64_t taken = 0;
  for (const Entry& entry : entries) taken += entry.bytes;
  if (taken <= bytes) return true;
  const std::time_t now = std::time(nullptr);
  std::erase_if(entries, [&](const Entry& entry) { return !entry.complete || entry.used > now - kUnused; });
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(entry.used, std::string_view(entry.path)); });
  std::size_t remove = 0;
  while (taken > bytes && remove < entries.size()) taken -= entries[remove++].bytes;
  if (taken > bytes) return false;
  for (const Entry& entry : std::span(entries).first(remove)) {
    if (::unlink(entry.path.c_str()) != 0 && errno != ENOENT) source::fail_with_errno("remove", entry.path);
  }
  return true;
}

}  // namespace

CacheFolder::CacheFolder(std::string directory, std::uint64_t bytes) : directory_(std::move(directory)), bytes_(bytes) {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) fail(STOWAGE_IO_ERROR, "cannot make the folder {}: {}", directory_, error.message());
  if (::access(directory_.c_str(), R_OK | W_OK | X_OK) != 0) source::fail_with_errno("write to", directory_);
  const FolderLock lock(directory_);
  if (lock.held()) tidied(directory_);  // else who holds it is doing the same
}

std::string CacheFolder::path_of(const Digest& key) const {
  return fmt::format("{}/{}{}{}", directory_, kPrefix, key.hex(), kComplete);
}

bool CacheFolder::use(const std::string& copy, std::uint64_t bytes) const noexcept {
  struct stat status {};
  if (!look_at(copy, status) || static_cast<std::uint64_t>(status.st_size) != bytes) return false;
  if (status.st_mtim.tv_sec < std::time(nullptr) - kMarkEvery) {
    ::utimensat(AT_FDCWD, copy.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
  return true;
}

CacheFolder::Reservation CacheFolder::reserve(const FileIdentity& file) const {
  const FolderLock lock(directory_);
  if (!lock.held()) return {Room::locked, nullptr};
  const std::string name = path_of(file.key());
  const std::string temporary = name.substr(0, name.size() - kComplete.size()) + std::string(kPartial);
  std::vector<Entry> entries = tidied(directory_);
  if (use(name, file.size)) return {Room::present, nullptr};
  ::unlink(name.c_str());  // what is there is no copy
  std::erase_if(entries, [&](const Entry& entry) { return entry.path == name; });
  if (std::ranges::any_of(entries, [&](const Entry& entry) { return entry.path == temporary; })) {
    return {Room::present, nullptr};
  }
  if (file.size > bytes_ || !make_room(std::move(entries), bytes_ - file.size)) return {Room::full, nullptr};
  return {Room::given, std::make_unique<PartialCopy>(temporary, name, file.size)};
}

bool CacheFolder::publish(PartialCopy& copy) const {
  const FolderLock lock(directory_);  // a file that is renamed while somebody lists the folder could escape the count
  if (lock.held()) copy.publish();
  return lock.held();
}

}  // namespace stowage::read
