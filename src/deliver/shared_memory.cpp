// SPDX-License-Identifier: Apache-2.0
#include "deliver/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace stowage::deliver {
namespace {

constexpr const char* kName = "stowage";  // as /proc/PID/maps shows it: /memfd:stowage

[[noreturn]] void fail_by_errno(const std::string& what) {
  fail(STOWAGE_IO_ERROR, "{}: {}", what, std::generic_category().message(errno));
}

// Growing a file past this limit does not fail but ends the process by a signal.
std::uint64_t largest_file() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return ~std::uint64_t{0};
  return limit.rlim_cur;
}

}  // namespace

Mapping::Mapping(int descriptor, std::uint64_t offset, std::size_t bytes, bool writable) {
  void* memory = mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor,
                      narrow<off_t>(offset, "offset in shared memory"));
  if (memory == MAP_FAILED) fail_by_errno(fmt::format("cannot map {} bytes of shared memory", bytes));
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

Mapping::Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory SharedMemory::create(std::uint64_t bytes) {
  if (bytes > largest_file()) {
    fail(STOWAGE_IO_ERROR, "cannot make shared memory of {} bytes: the limit of file sizes (ulimit -f) is {} bytes",
         bytes, largest_file());
  }
  const int descriptor = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) fail_by_errno("cannot make shared memory");
  SharedMemory memory(descriptor, bytes, Access::write);
  if (ftruncate(descriptor, narrow<off_t>(bytes, "bytes of shared memory")) != 0 ||
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    fail_by_errno(fmt::format("cannot make shared memory of {} bytes", bytes));
  }
  return memory;
}

SharedMemory SharedMemory::open(const Place& place, Access access) {
  const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
  const int mode = access == Access::write ? O_RDWR : O_RDONLY;
  const int descriptor = ::open(path.c_str(), mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) fail_by_errno(fmt::format("cannot open {}, shared memory of another process", path));
  SharedMemory memory(descriptor, place.bytes, access);
  struct stat found {};
  if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode) || std::cmp_not_equal(found.st_size, place.bytes)) {
    fail(STOWAGE_IO_ERROR, "{} is not the shared memory of {} bytes that was expected there", path, place.bytes);
  }
  return memory;
}

SharedMemory::~SharedMemory() {
  if (descriptor_ >= 0) close(descriptor_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(other.bytes_), access_(other.access_) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  std::swap(access_, other.access_);
  return *this;
}

SharedMemory::Place SharedMemory::place() const noexcept {
  return {getpid(), descriptor_, bytes_};
}

Mapping SharedMemory::map(std::uint64_t offset, std::size_t bytes) const {
  return Mapping(descriptor_, offset, bytes, access_ == Access::write);
}

bool SharedMemory::back(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  int error = EINTR;
  while (error == EINTR) error = posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  return error == 0;
}

std::size_t SharedMemory::page() noexcept {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace stowage::deliver
