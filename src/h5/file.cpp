// SPDX-License-Identifier: Apache-2.0
#include "h5/file.hpp"

#include <unistd.h>

namespace stowage::h5 {

PropertyList file_access() {
  const Context context{"set up", "file access properties", "HDF5", STOWAGE_INTERNAL_ERROR};
  PropertyList access(call(context, H5Pcreate, H5P_FILE_ACCESS));
  // Not H5F_LIBVER_LATEST: that means another format with every HDF5 release.
  call(context, H5Pset_libver_bounds, access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  call(context, H5Pset_fclose_degree, access.id(), H5F_CLOSE_SEMI);
  call(context, H5Pset_file_locking, access.id(), false, true);
  return access;
}

File File::open_read(const std::string& path, const PropertyList& access) {
  return open_read(path, access, ::access(path.c_str(), R_OK) == 0 ? STOWAGE_DATA_ERROR : STOWAGE_IO_ERROR);
}

File File::open_read(const std::string& path, const PropertyList& access, Status status) {
  const Context context{"open", "", path, status};
  return {FileId(call(context, H5Fopen, path.c_str(), H5F_ACC_RDONLY, access.id())), path};
}

File File::create(const std::string& path, std::uint64_t alignment) {
  const Context context{"create", "", path, STOWAGE_IO_ERROR};
  const PropertyList access = file_access();
  if (alignment > 1) call(context, H5Pset_alignment, access.id(), alignment, alignment);
  const PropertyList creation(call(context, H5Pcreate, H5P_FILE_CREATE));
  call(context, H5Pset_obj_track_times, creation.id(), false);
  return create(path, creation, access);
}

File File::create(const std::string& path, const PropertyList& creation, const PropertyList& access) {
  const Context context{"create", "", path, STOWAGE_IO_ERROR};
  return {FileId(call(context, H5Fcreate, path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id())), path};
}

void File::close() {
  id_.close({"write", "", path_, STOWAGE_IO_ERROR});
}

GroupId create_group(const File& file, const std::string& name) {
  const Context context{"create group", name, file.path(), STOWAGE_IO_ERROR};
  const PropertyList creation(call(context, H5Pcreate, H5P_GROUP_CREATE));
  call(context, H5Pset_obj_track_times, creation.id(), false);
  return GroupId(call(context, H5Gcreate2, file.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
}

}  // namespace stowage::h5
