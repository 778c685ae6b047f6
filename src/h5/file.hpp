// SPDX-License-Identifier: Apache-2.0
// Opening and creating HDF5 files with one policy for locks, format version and reproducibility.
#pragma once

#include <string>

#include "h5/handle.hpp"

namespace stowage::h5 {

// File access of every file that stowage opens: format of HDF5 1.10 (object headers carry checksums), objects must be
// closed before their file, and no file locks, which many cluster file systems lack: a file is only read after its
// writer has renamed it into place. The environment variable HDF5_USE_FILE_LOCKING overrides the last point.
// For collective transfers add H5Pset_fapl_mpio to the list.
PropertyList file_access();

// An open file and its name for messages. Objects opened from it must be gone before it closes.
class File {
 public:
  // Collective over the list's communicator if `access` holds an MPI file driver. Throws STOWAGE_IO_ERROR if the file
  // is missing or unreadable, STOWAGE_DATA_ERROR if it is not a sound HDF5 file.
  static File open_read(const std::string& path, const PropertyList& access = file_access());
  static File open_read(const std::string& path, const PropertyList& access, Status status);  // of every failure

  // A new file; an existing one is replaced. The same calls on it give the same bytes: no time stamps are stored.
  // `alignment` > 1: objects of at least this many bytes begin at a multiple of it.
  static File create(const std::string& path, std::uint64_t alignment = 1);
  static File create(const std::string& path, const PropertyList& creation, const PropertyList& access);

  // Takes over what was opened otherwise.
  static File adopt(FileId id, std::string path) { return {std::move(id), std::move(path)}; }

  hid_t id() const noexcept { return id_.id(); }
  const std::string& path() const noexcept { return path_; }

  // Closes with a check; for files that were written. Flushes HDF5's buffers, not those of the operating system.
  void close();

 private:
  File(FileId id, std::string path) : id_(std::move(id)), path_(std::move(path)) {}
  FileId id_;
  std::string path_;
};

// A new group that is stored without time stamps.
GroupId create_group(const File& file, const std::string& name);

}  // namespace stowage::h5
