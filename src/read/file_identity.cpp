// SPDX-License-Identifier: Apache-2.0
#include "read/file_identity.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace stowage::read {
namespace {

std::optional<FileIdentity> identity(const std::string& path, const struct stat& status) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return FileIdentity{absolute.lexically_normal().string(), static_cast<std::uint64_t>(status.st_ino),
                      static_cast<std::uint64_t>(status.st_size),
                      status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

}  // namespace

Digest FileIdentity::key() const {
  return Hasher().add_bytes(std::as_bytes(std::span(path))).add(inode).add(size).add(modified).digest();
}

std::optional<FileIdentity> identify(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? identity(path, status) : std::nullopt;
}

std::optional<FileIdentity> identify(int fd, const std::string& path) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? identity(path, status) : std::nullopt;
}

}  // namespace stowage::read
