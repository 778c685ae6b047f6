// SPDX-License-Identifier: Apache-2.0
#include "h5/image.hpp"

namespace stowage::h5 {
namespace {

constexpr std::size_t kGrowth = std::size_t{64} << 10;
constexpr Context kSetUp{"set up", "files in memory", "HDF5", STOWAGE_INTERNAL_ERROR};

PropertyList access_in_memory() {
  PropertyList access = file_access();
  call(kSetUp, H5Pset_fapl_core, access.id(), kGrowth, hbool_t{false});
  return access;
}

// HDF5 refuses to open an image under the name of a file that exists.
std::string name_in_memory(const std::string& path) {
  return path + " (in memory)";
}

// For groups, the root group included. In the earliest format a group has a B-tree and a heap, unless it keeps the
// order of its members.
PropertyList compact_creation(hid_t of_class) {
  PropertyList creation(call(kSetUp, H5Pcreate, of_class));
  call(kSetUp, H5Pset_link_creation_order, creation.id(), unsigned{H5P_CRT_ORDER_TRACKED});
  call(kSetUp, H5Pset_obj_track_times, creation.id(), false);
  return creation;
}

}  // namespace

File create_in_memory(const std::string& path) {
  const PropertyList access = access_in_memory();
  // Later formats have a checksum over the superblock that H5Fget_file_image invalidates, up to HDF5 1.14.
  call(kSetUp, H5Pset_libver_bounds, access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  // HDF5 takes space for metadata and for small datasets in blocks, and what is left of them stays in the image.
  call(kSetUp, H5Pset_meta_block_size, access.id(), hsize_t{256});
  call(kSetUp, H5Pset_small_data_block_size, access.id(), hsize_t{0});
  const PropertyList creation = compact_creation(H5P_FILE_CREATE);
  return File::adopt(FileId(call({"create", "", path, STOWAGE_IO_ERROR}, H5Fcreate, name_in_memory(path).c_str(),
                                 H5F_ACC_TRUNC, creation.id(), access.id())),
                     path);
}

GroupId create_small_group(const File& file, const std::string& name) {
  const Context context{"create group", name, file.path(), STOWAGE_IO_ERROR};
  const PropertyList creation = compact_creation(H5P_GROUP_CREATE);
  return GroupId(call(context, H5Gcreate2, file.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
}

Bytes image(const File& file) {
  const Context context{"write", "", file.path(), STOWAGE_IO_ERROR};
  call(context, H5Fflush, file.id(), H5F_SCOPE_GLOBAL);
  void* const only_ask = nullptr;
  Bytes bytes(static_cast<std::size_t>(call(context, H5Fget_file_image, file.id(), only_ask, std::size_t{0})));
  call(context, H5Fget_file_image, file.id(), static_cast<void*>(bytes.data()), bytes.size());
  return bytes;
}

File open_image(ByteView bytes, const std::string& path) {
  if (bytes.empty()) fail(STOWAGE_DATA_ERROR, "{}: cannot open: expected an HDF5 file, found 0 bytes", path);
  const PropertyList access = access_in_memory();
  // The parameter is not const, but HDF5 copies from it.
  call(kSetUp, H5Pset_file_image, access.id(), const_cast<void*>(static_cast<const void*>(bytes.data())), bytes.size());
  return File::adopt(
      FileId(call({"open", "", path}, H5Fopen, name_in_memory(path).c_str(), H5F_ACC_RDONLY, access.id())), path);
}

}  // namespace stowage::h5
