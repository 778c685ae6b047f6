// SPDX-License-Identifier: Apache-2.0
// Small HDF5 files that live in memory, so that what reaches a disk, and how, is up to the caller.
//
//   File file = create_in_memory("state.h5");     ...write...     Bytes bytes = image(file);
//   File file = open_image(bytes, "state.h5");
//
// No call here touches a file system; the path is for messages, and that of two open files must differ.
#pragma once

#include "base/bytes.hpp"
#include "h5/file.hpp"

namespace stowage::h5 {

// A new file in HDF5's earliest format, which every version reads. It has no time stamps and no checksums.
File create_in_memory(const std::string& path);

// A new group in such a file, stored in few bytes.
GroupId create_small_group(const File& file, const std::string& name);

// The bytes that the file would have on disk. The file stays open.
Bytes image(const File& file);

// Opens such bytes, of which HDF5 makes a copy. Throws STOWAGE_DATA_ERROR if they are no sound HDF5 file.
File open_image(ByteView bytes, const std::string& path);

}  // namespace stowage::h5
